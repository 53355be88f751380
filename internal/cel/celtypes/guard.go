package celtypes

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// This file changes programs of cel-go. Loops visit the keys of maps in increasing order,
// and calls that may make large values count memory before they make them. Rules cannot
// observe that below the limit of memory. Errors that print a value are those of cellib.

// Memory is the name of the variable that holds the *[cellib.Meter] of an
// evaluation. No expression can refer to it.
const Memory = "@memory"

// MemoryExceeded is the error of an evaluation that takes too much memory.
var MemoryExceeded error = interpreter.EvalCancelledError{Message: "operation cancelled: memory limit exceeded"}

// A guarded call is not made if it would exceed a limit.
type guarded struct {
	interpreter.InterpretableCall
	impl *functions.Overload
}

// guard returns a decorator of calls and of literals with optional parts, which it finds by
// their ids.
func (p *planner) guard(optional map[int64]ast.Expr) interpreter.InterpretableDecoratorV2 {
	return func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		if l, ok := i.(interpreter.InterpretableConstructor); ok && optional[i.ID()] != nil {
			return p.optionalLiteral(l, optional[i.ID()]), nil
		}
		return p.guardCall(i)
	}
}

func (p *planner) guardCall(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok {
		return i, nil
	}
	name := call.Function()
	if !cellib.Deep(name) && !cellib.Guarded(name) && !cellib.PrintsElement(name) && name != mapInsert {
		return i, nil
	}
	impl := p.implementation(name, []string{call.OverloadID()})
	if name != operators.Equals && name != operators.NotEquals && (impl == nil || impl.NonStrict) {
		return i, nil
	}
	return &guarded{InterpretableCall: call, impl: impl}, nil
}

// Eval implements interpreter.Interpretable.
func (g *guarded) Eval(vars interpreter.Activation) ref.Val { return g.Exec(interpreter.AsFrame(vars)) }

// Exec evaluates the call as cel-go does.
func (g *guarded) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	nodes := g.Args()
	args := make([]ref.Val, len(nodes))
	both := len(nodes) == 2 && (g.impl == nil || g.impl.Binary != nil || g.impl.Function == nil)
	for i, n := range nodes {
		if args[i] = n.Exec(frame); !both && types.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	for _, v := range args {
		if types.IsUnknownOrError(v) {
			return v
		}
	}
	if g.Function() != mapInsert {
		g.count(frame, args)
	} else if len(args) == 2 {
		if err := cellib.RepeatedKey(args[0], args[1]); err != nil {
			return types.LabelErrNode(g.ID(), err)
		}
	}
	if cellib.PrintsElement(g.Function()) {
		args = cellib.Printing(g.Function(), args)
	}
	return types.LabelErrNode(g.ID(), g.call(args))
}

// call calls the implementation, or the method of a value that is its own.
func (g *guarded) call(args []ref.Val) ref.Val {
	switch g.Function() {
	case operators.Equals:
		return types.Equal(args[0], args[1])
	case operators.NotEquals:
		return types.Bool(types.Equal(args[0], args[1]) != types.True)
	}
	if trait := g.impl.OperandTrait; trait == 0 || args[0].Type().HasTrait(trait) {
		switch {
		case len(args) == 1 && g.impl.Unary != nil:
			return g.impl.Unary(args[0])
		case len(args) == 2 && g.impl.Binary != nil:
			return g.impl.Binary(args[0], args[1])
		case g.impl.Function != nil:
			return g.impl.Function(args...)
		}
	}
	if r, ok := args[0].(traits.Receiver); ok && args[0].Type().HasTrait(traits.ReceiverType) {
		return r.Receive(g.Function(), g.OverloadID(), args[1:])
	}
	return types.NewErr("no such overload: %s", g.Function())
}

// count ends the evaluation if the call would exceed a limit.
func (g *guarded) count(frame *interpreter.ExecutionFrame, args []ref.Val) {
	found, _ := frame.ResolveName(Memory)
	meter, ok := found.(*cellib.Meter)
	if !ok { // cel-go evaluates a constant when it makes the program
		meter = &cellib.Meter{Limit: cellib.DefaultMemory}
	}
	if !meter.Admit(g.Function(), g.OverloadID(), args) {
		panic(MemoryExceeded)
	}
}

// ordered is the name of the function that puts the keys of a map in order. It
// returns other values unchanged and costs nothing.
const ordered = cellib.Ordered

func orderedFunction() cel.EnvOption {
	return cel.Function(ordered, cel.Overload(ordered, []*types.Type{types.DynType}, types.DynType,
		cel.UnaryBinding(func(v ref.Val) ref.Val {
			if m, ok := v.(traits.Mapper); ok {
				return cellib.OrderedMap(m)
			}
			return v
		})))
}

// orderLoops returns a tree whose loops visit the keys of maps in order: tree
// itself if it has no such loops. A loop over a map m becomes one over @ordered(m).
func orderLoops(tree *ast.AST) *ast.AST {
	if !hasMapLoops(tree) {
		return tree
	}
	tree = ast.Copy(tree)
	factory, last := ast.NewExprFactory(), ast.MaxID(tree)
	wrap := func(e ast.Expr) ast.Expr {
		last++
		tree.SetType(last, types.DynType)
		tree.SetReference(last, ast.NewFunctionReference(ordered))
		return factory.NewCall(last, ordered, e)
	}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		switch {
		case loopsOverMap(tree, e):
			c := e.AsComprehension()
			e.SetKindCase(factory.NewComprehensionTwoVar(e.ID(), wrap(c.IterRange()), c.IterVar(), c.IterVar2(),
				c.AccuVar(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()))
		case insertsMap(e):
			args := e.AsCall().Args()
			e.SetKindCase(factory.NewCall(e.ID(), e.AsCall().FunctionName(), args[0], wrap(args[1])))
		}
	}))
	return tree
}

func hasMapLoops(tree *ast.AST) bool {
	found := false
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		found = found || loopsOverMap(tree, e) || insertsMap(e)
	}))
	return found
}

// loopsOverMap reports whether e is a loop over a map, or over a value whose type
// is not known.
func loopsOverMap(tree *ast.AST, e ast.Expr) bool {
	if e.Kind() != ast.ComprehensionKind {
		return false
	}
	t := tree.GetType(e.AsComprehension().IterRange().ID())
	return t != nil && (t.Kind() == types.MapKind || t.Kind() == types.DynKind || t.Kind() == types.AnyKind)
}

// insertsMap reports whether e inserts the entries of one map into another.
func insertsMap(e ast.Expr) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "cel.@mapInsert" && len(e.AsCall().Args()) == 2
}
