package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// This file compiles names that a macro gives to a value: optMap, optFlatMap and
// sortBy. Such a macro expands to a comprehension over an empty list whose
// accumulator is the value. The value is evaluated, and paid for, at its first
// use.

// isBind reports whether a comprehension only names a value.
func isBind(c ast.ComprehensionExpr) bool {
	r := c.IterRange()
	return !c.HasIterVar2() && r.Kind() == ast.ListKind && r.AsList().Size() == 0 && isLiteral(c.LoopCondition(), types.False)
}

func (x *compiler) bind(c ast.ComprehensionExpr) operand {
	slot := x.loops
	if slot >= maxVariables {
		return x.refuse("deep nesting of comprehensions")
	}
	defer func() { x.loops = slot }()
	// The first use may be inside a loop of the body. So the body gets other
	// variable slots than the value.
	highest := x.highest
	x.deeper(slot + 1)
	v := x.expr(c.AccuInit())
	x.loops, x.highest = x.highest, max(x.highest, highest)
	if x.why != "" {
		return operand{}
	}
	outer := len(x.vars)
	x.vars = append(x.vars, local{name: c.AccuVar(), operand: x.bound(v, slot)})
	body := x.expr(c.Result())
	x.vars = x.vars[:outer]
	if x.why != "" {
		return operand{}
	}
	out := entering(body, func(f *Frame) {
		f.vars[slot].known = false
	})
	out.cost = body.cost
	return out
}

// deeper sets the loop depth of the next expression.
func (x *compiler) deeper(loops int) {
	x.loops, x.highest = loops, loops
}

// bound returns the variable that names the value v.
func (x *compiler) bound(v operand, slot int) operand {
	cost := v.cost
	out := operand{cost: 1, attr: true}
	if v.raw != nil && !v.declared.Made {
		raw := v.raw
		out.declared = v.declared
		out.raw = func(f *Frame) any {
			b := &f.vars[slot]
			if b.reads(f) {
				f.pay(cost)
				b.raw = raw(f)
				b.known, b.err = true, f.evalErr
			}
			return b.raw
		}
		return x.typed(out)
	}
	box := x.boxed(v)
	out.typ = v.typ
	out.box = func(f *Frame) ref.Val {
		b := &f.vars[slot]
		if b.reads(f) {
			f.pay(cost)
			b.box = box(f)
			b.known, b.err = true, f.evalErr
		}
		return b.box
	}
	return x.unbox(v.typ, out)
}

// reads reports whether the value is to be evaluated. If it was and failed, the
// variable fails again.
func (b *variable) reads(f *Frame) bool {
	if b.known && b.err != nil {
		f.fail(b.err)
	}
	return !b.known
}
