package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// A compiler compiles one expression. It stops at the first part that it declines.
type compiler struct {
	language    *celtypes.Language
	tree        *ast.AST
	self        *celvalue.DeclaredType
	optionalOld bool // oldSelf is an optional

	vars      []local
	boxes     bool   // values are boxed, so Eval may panic on objects that are not valid
	loops     int    // number of loops around the current expression
	highest   int    // most loops around any expression so far
	choices   uint   // number of choices between optionals
	why       string // why the compiler declined, or ""
	constants *Frame // see frame
}

type local struct {
	name    string
	operand operand
}

// CompileRule compiles a rule on values of type self. If it declines, it returns nil and the
// reason. optional says that oldSelf is an optional. The closure is safe for concurrent use.
func CompileRule(b *celtypes.Language, tree *ast.AST, self *celvalue.DeclaredType, optional bool) (*Closure, string) {
	x := &compiler{language: b, tree: tree, self: self, optionalOld: optional}
	c := x.condition(x.expr(tree.Expr()))
	run := x.bool(c)
	if x.why != "" {
		return nil, x.why
	}
	return x.closure(c, run), ""
}

// CompileMessage is [CompileRule] for a messageExpression. [Frame.Text] gets its result.
func CompileMessage(b *celtypes.Language, tree *ast.AST, self *celvalue.DeclaredType) (*Closure, string) {
	x := &compiler{language: b, tree: tree, self: self}
	c := x.expr(tree.Expr())
	if c.kind() == kindBox {
		c = x.unbox(c.typ, operand{cost: c.cost, box: c.box})
	}
	if c.kind() != kindString {
		x.refuse("message of " + kindName(c))
	}
	if x.why != "" {
		return nil, x.why
	}
	text := closureOf[string](c)
	run := func(f *Frame) bool {
		f.Text = text(f)
		return true
	}
	return x.closure(c, run), ""
}

func (x *compiler) closure(c operand, run func(*Frame) bool) *Closure {
	return &Closure{cost: c.cost, run: run, guards: x.boxes}
}

// refuse declines the expression. The first reason is kept.
func (x *compiler) refuse(why string) operand {
	if x.why == "" {
		x.why = why
	}
	return operand{}
}

func (x *compiler) expr(e ast.Expr) operand {
	if x.why != "" {
		return operand{}
	}
	c := x.compile(e)
	if c.typ == nil {
		c.typ = x.tree.GetType(e.ID())
	}
	return c
}

func (x *compiler) compile(e ast.Expr) operand {
	switch e.Kind() {
	case ast.LiteralKind:
		return x.constant(e.AsLiteral())
	case ast.IdentKind:
		return x.ident(e, e.AsIdent())
	case ast.SelectKind:
		return x.selection(e, e.AsSelect())
	case ast.CallKind:
		return x.call(e)
	case ast.ListKind:
		return x.list(e)
	case ast.ComprehensionKind:
		return x.loop(e.AsComprehension())
	case ast.MapKind:
		return x.mapLiteral(e)
	case ast.StructKind:
		return x.message(e)
	}
	return x.refuse("expression")
}

// constant returns an operand with a known value. It costs nothing.
func (x *compiler) constant(v ref.Val) operand {
	c := operand{constant: v}
	switch v := v.(type) {
	case types.Bool:
		c.value = as(kindBool, func(*Frame) bool { return bool(v) })
	case types.Int:
		c.value = as(kindInt, func(*Frame) int64 { return int64(v) })
	case types.Double:
		c.value = as(kindDouble, func(*Frame) float64 { return float64(v) })
	case types.String:
		c.value = as(kindString, func(*Frame) string { return string(v) })
	case types.Duration:
		c.value = as(kindDuration, func(*Frame) int64 { return int64(v.Duration) })
	case types.Timestamp:
		c.value = as(kindTimestamp, fixedTime(v.Time))
	default:
		c.box = func(*Frame) ref.Val { return v }
	}
	return c
}

// overload returns the overload of a call, "" if several are possible.
func (x *compiler) overload(e ast.Expr) string {
	if r, ok := x.tree.ReferenceMap()[e.ID()]; ok && len(r.OverloadIDs) == 1 {
		return r.OverloadIDs[0]
	}
	return ""
}
