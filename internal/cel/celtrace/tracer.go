package celtrace

import (
	"context"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
)

// maxElements is how often the conditions of macros are evaluated for one trace.
const maxElements = 10_000

// maxDepth is how many macros and operators around a part are followed.
const maxDepth = 100

// A tracer is the state of one trace.
type tracer struct {
	ctx       context.Context
	plans     *celtypes.Tracer
	runes     int
	evaluated int // conditions of macros
	depth     int
	operands  []Operand
	first     string // the first deciding part
}

// A frame holds the variables of a part and the observed values.
type frame struct {
	vars   interpreter.Activation
	values interpreter.EvalState
}

// evaluate evaluates a part and records the values of its parts.
func (t *tracer) evaluate(part ast.Expr, vars interpreter.Activation) (frame, ref.Val) {
	program, err := t.plans.Plan(part)
	if err != nil {
		return frame{vars: vars}, types.WrapErr(err)
	}
	return t.run(program, vars)
}

func (t *tracer) run(program cel.Program, vars interpreter.Activation) (frame, ref.Val) {
	v, details, err := program.ContextEval(t.ctx, vars)
	f := frame{vars: vars}
	if details != nil {
		f.values = details.State()
	}
	if err != nil {
		return f, types.WrapErr(err)
	}
	return f, v
}

// valueOf returns the value of a part. It evaluates a part that the evaluation around it
// did not need.
func (t *tracer) valueOf(f frame, e ast.Expr) ref.Val {
	if e.Kind() == ast.LiteralKind {
		return e.AsLiteral()
	}
	if v, ok := f.known(e); ok && e.Kind() != ast.IdentKind {
		return v
	}
	_, v := t.evaluate(e, f.vars)
	return v
}

// known reports whether the evaluation around a part needed it.
func (f frame) known(e ast.Expr) (ref.Val, bool) {
	if f.values == nil {
		return nil, false
	}
	v, ok := f.values.Value(e.ID())
	return v, ok && v != nil
}

// root traces the whole rule. It returns nil if the rule is true.
func (t *tracer) root(e ast.Expr, vars interpreter.Activation) *Trace {
	f, v := t.evaluate(e, vars)
	switch {
	case v == types.True:
		return nil
	case v == types.False:
		text := t.decide(f, e, false)
		return &Trace{Text: text, Decided: t.first, Operands: t.operands}
	}
	return t.failure(f, e, v)
}

// operand records a part and its value, once.
func (t *tracer) operand(expression string, v ref.Val) {
	if len(t.operands) == maxOperands || slices.ContainsFunc(t.operands, func(o Operand) bool { return o.Expression == expression }) {
		return
	}
	o := Operand{Expression: expression}
	if t.runes > 0 {
		o.Value = valueText(v, t.runes)
	}
	t.operands = append(t.operands, o)
}
