package celtypes

import (
	"fmt"
	"regexp/syntax"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// Programs of cel-go are changed in three ways: loops visit keys in increasing order, large values
// are counted before they are made, and errors that print a value come from cellib. As long as
// memory suffices, rules cannot observe the changes.

// Memory is the variable with the *[cellib.Meter] of an evaluation. Rules cannot spell it.
const Memory = "@memory"

var MemoryExceeded error = interpreter.EvalCancelledError{Message: "operation cancelled: memory limit exceeded"}

// A guardedCall is not made if it would exceed a limit.
type guardedCall struct {
	interpreter.InterpretableCall
	impl *functions.Overload
}

// guard returns a decorator for calls, and for the literals that optionalLiterals found.
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
	return &guardedCall{InterpretableCall: call, impl: impl}, nil
}

func (g *guardedCall) Eval(vars interpreter.Activation) ref.Val {
	return g.Exec(interpreter.AsFrame(vars))
}

func (g *guardedCall) Exec(frame *interpreter.ExecutionFrame) ref.Val {
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

// call calls the implementation, or the method of the first argument.
func (g *guardedCall) call(args []ref.Val) ref.Val {
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

func (g *guardedCall) count(frame *interpreter.ExecutionFrame, args []ref.Val) {
	found, _ := frame.ResolveName(Memory)
	meter, ok := found.(*cellib.Meter)
	if !ok { // cel-go evaluates a constant while it makes the program
		meter = &cellib.Meter{Limit: cellib.DefaultMemory}
	}
	if !meter.Admit(g.Function(), g.OverloadID(), args) {
		panic(MemoryExceeded)
	}
}

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

// orderLoops replaces each loop over a map m by a loop over @ordered(m).
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

// loopsOverMap reports whether e is a loop over a map or over a value of unknown type.
func loopsOverMap(tree *ast.AST, e ast.Expr) bool {
	if e.Kind() != ast.ComprehensionKind {
		return false
	}
	t := tree.GetType(e.AsComprehension().IterRange().ID())
	return t != nil && (t.Kind() == types.MapKind || t.Kind() == types.DynKind || t.Kind() == types.AnyKind)
}

func insertsMap(e ast.Expr) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == "cel.@mapInsert" && len(e.AsCall().Args()) == 2
}

// The checker of cel-go copies all inferred types for each overload, so its time is quadratic. A
// chain of {x: x} doubles a type in each step. These limits bound the time and the types.
const (
	maxInferred = 1000 // calls, lists, maps and loops of an expression
	maxMapTypes = 100  // scalar types in the type of a map literal
)

// A sizing measures an expression before its types are inferred.
type sizing struct {
	inferred, largest int
	vars              []sizedVariable // of the enclosing loops, innermost last
}

type sizedVariable struct {
	name string
	size int
}

// oversized returns why cel-go must not check an expression, or "".
func oversized(tree *ast.AST) string {
	var s sizing
	switch s.size(tree.Expr()); {
	case s.inferred > maxInferred:
		return fmt.Sprintf("the expression is too large: it has %d calls, lists, maps and loops, and at most %d may have types that cel-go infers", s.inferred, maxInferred)
	case s.largest > maxMapTypes:
		return fmt.Sprintf("the expression is too large: the type of a map in it is made of more than %d types", maxMapTypes)
	}
	return ""
}

// size returns an upper bound for the number of scalar types in the type of an expression. The type
// of a schema counts as one.
func (s *sizing) size(e ast.Expr) int {
	switch e.Kind() {
	case ast.IdentKind:
		return s.variable(e.AsIdent())
	case ast.SelectKind:
		return s.size(e.AsSelect().Operand())
	case ast.CallKind:
		s.inferred++
		return s.call(e.AsCall())
	case ast.ListKind:
		s.inferred++
		return s.most(e.AsList().Elements())
	case ast.MapKind:
		s.inferred++
		return s.entries(e.AsMap().Entries())
	case ast.StructKind:
		s.inferred++
		for _, f := range e.AsStruct().Fields() {
			s.size(f.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		s.inferred++
		return s.loop(e.AsComprehension())
	}
	return 1
}

func (s *sizing) variable(name string) int {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == name {
			return s.vars[i].size
		}
	}
	return 1
}

func (s *sizing) most(list []ast.Expr) int {
	most := 1
	for _, e := range list {
		most = max(most, s.size(e))
	}
	return most
}

func (s *sizing) call(c ast.CallExpr) int {
	most := 1
	if c.IsMemberFunction() {
		most = s.size(c.Target())
	}
	args := c.Args()
	if c.FunctionName() == "cel.@mapInsert" && len(args) == 3 {
		return max(s.size(args[0]), s.sum(s.size(args[1]), s.size(args[2])))
	}
	return max(most, s.most(args))
}

func (s *sizing) entries(list []ast.EntryExpr) int {
	key, value := 1, 1
	for _, e := range list {
		key, value = max(key, s.size(e.AsMapEntry().Key())), max(value, s.size(e.AsMapEntry().Value()))
	}
	return s.sum(key, value)
}

// sum returns how many scalar types a map type has, at most maxMapTypes+1.
func (s *sizing) sum(key, value int) int {
	size := min(key+value, maxMapTypes+1)
	s.largest = max(s.largest, size)
	return size
}

func (s *sizing) loop(c ast.ComprehensionExpr) int {
	over, first := s.size(c.IterRange()), s.size(c.AccuInit())
	outer := len(s.vars)
	s.vars = append(s.vars, sizedVariable{c.AccuVar(), first}, sizedVariable{c.IterVar(), over})
	if c.HasIterVar2() {
		s.vars = append(s.vars, sizedVariable{c.IterVar2(), over})
	}
	s.size(c.LoopCondition())
	made := max(first, s.size(c.LoopStep()))
	s.vars = append(s.vars[:outer], sizedVariable{c.AccuVar(), made})
	result := s.size(c.Result())
	s.vars = s.vars[:outer]
	return result
}

// If all types are correct, few errors are possible: an invalid literal of a duration, timestamp or
// regular expression, a list of mixed types, a constant index of a wrong type. cel-go takes longer
// to look for these errors than to check types. So isPlain looks first.

type validatorScan struct {
	language *Language
	tree     *ast.AST
	doubtful bool // cel-go must validate and plan the expression
}

// isPlain reports whether validators and planner certainly accept a tree with correct types.
func (x *Checker) isPlain(tree *ast.AST) bool {
	c := validatorScan{language: x.Language, tree: tree}
	c.visit(tree.Expr())
	return !c.doubtful
}

// visit scans e. It reports whether cel-go may evaluate e when it plans the program.
func (c *validatorScan) visit(e ast.Expr) (known bool) {
	if c.doubtful {
		return false
	}
	switch e.Kind() {
	case ast.LiteralKind, ast.MapKind: // macros make empty maps
		return true
	case ast.IdentKind:
	case ast.SelectKind:
		c.visit(e.AsSelect().Operand())
	case ast.CallKind:
		return c.call(e)
	case ast.ListKind:
		return c.list(e.AsList())
	case ast.ComprehensionKind:
		l := e.AsComprehension()
		for _, part := range []ast.Expr{l.IterRange(), l.AccuInit(), l.LoopCondition(), l.LoopStep(), l.Result()} {
			c.visit(part)
		}
	default:
		c.doubtful = true
	}
	return false
}

func (c *validatorScan) doubt(cond bool) { c.doubtful = c.doubtful || cond }

func (c *validatorScan) list(l ast.ListExpr) (known bool) {
	known = true
	for _, e := range l.Elements() {
		known = c.visit(e) && known
	}
	return known
}

func (c *validatorScan) call(e ast.Expr) (known bool) {
	call := e.AsCall()
	name, args := call.FunctionName(), call.Args()
	if call.IsMemberFunction() {
		args = append([]ast.Expr{call.Target()}, args...)
	}
	for i, arg := range args {
		known = c.visit(arg) || known
		if i == 1 && known && (name == operators.Index || name == operators.OptIndex || name == operators.OptSelect) {
			c.doubt(!isKey(arg))
		}
	}
	switch name {
	case operators.LogicalAnd, operators.LogicalOr, operators.Conditional, operators.Equals, operators.NotEquals,
		operators.Index, operators.OptIndex, operators.OptSelect:
		return false
	}
	r := c.tree.ReferenceMap()[e.ID()]
	if r == nil {
		c.doubtful = true
		return false
	}
	impl := c.language.planner.implementation(name, r.OverloadIDs)
	switch {
	case !callable(impl, len(args)), name == "format": // a validator checks the text of format
		c.doubtful = true
	case name == "matches" || name == "find" || name == "findAll":
		for _, arg := range args {
			c.regex(arg)
		}
	case overloads.IsTypeConversionFunction(name) && known: // cel-go converts constants
		c.doubt(args[0].Kind() != ast.LiteralKind || impl == nil || impl.Unary == nil || types.IsError(impl.Unary(args[0].AsLiteral())))
		return true
	case name == operators.In:
		return known // an empty list
	}
	return false
}

// isKey reports whether a constant index has the type of a key.
func isKey(e ast.Expr) bool {
	if e.Kind() != ast.LiteralKind {
		return false
	}
	t := e.AsLiteral().Type()
	return t == types.StringType || t == types.IntType
}

// regex scans an argument that is a regular expression. A literal must be valid.
func (c *validatorScan) regex(e ast.Expr) {
	switch e.Kind() {
	case ast.LiteralKind:
		text, ok := e.AsLiteral().(types.String)
		_, err := syntax.Parse(string(text), syntax.Perl) // regexp.Compile can fail only here
		c.doubt(!ok || err != nil)
	case ast.CallKind:
		c.doubt(overloads.IsTypeConversionFunction(e.AsCall().FunctionName()))
	}
}

// callable reports whether a program can call impl with n arguments. If impl is nil, the first
// argument has the method.
func callable(impl *functions.Overload, n int) bool {
	switch {
	case impl == nil:
		return n > 0
	case n == 0:
		return impl.Function != nil
	case n == 1:
		return impl.Unary != nil || impl.Function != nil
	case n == 2:
		return impl.Binary != nil || impl.Function != nil
	}
	return impl.Function != nil
}
