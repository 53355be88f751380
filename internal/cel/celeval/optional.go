package celeval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// An optional is an optional of any value, as two closures: has reports whether
// there is a value, and value reads it. The caller of has calls value next, once
// and before anything else, as the frame may hold the value and it may not be
// paid for yet.

type optional struct {
	has   func(*Frame) bool
	value operand // costs only what has did not pay; has no kind if there is never a value
	pure  bool    // reading the value has no effect and may be left out
}

func (*optional) kind() kind { return kindOptional }

func (o *optional) after(before func(*Frame)) value {
	return &optional{has: after(before, o.has), value: o.value, pure: o.pure}
}

// A rawOptional is an optional of a part of the object. It becomes an [optional]
// where it meets others.
type rawOptional func(*Frame) (any, bool)

func (rawOptional) kind() kind { return kindRawOptional }

func (o rawOptional) after(before func(*Frame)) value {
	return rawOptional(func(f *Frame) (any, bool) {
		before(f)
		return o(f)
	})
}

// isOptional reports whether an operand is an optional.
func (o operand) isOptional() bool {
	return o.kind() == kindOptional || o.kind() == kindRawOptional || o.kind() == kindBox && o.typ != nil && isOptionalType(o.typ)
}

func isOptionalType(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == types.OptionalType.TypeName()
}

// optional returns the optional that an operand evaluates to.
func (x *compiler) optional(c operand) *optional {
	switch of := c.value.(type) {
	case *optional:
		return of
	case rawOptional:
		return &optional{pure: true, value: x.typed(operand{declared: c.declared, raw: func(f *Frame) any { return f.held }}), has: func(f *Frame) bool {
			v, ok := of(f)
			f.held = v
			return ok && !f.failed
		}}
	}
	box := x.boxed(c)
	value := operand{typ: valueType(c.typ), box: func(f *Frame) ref.Val { return f.checked(f.heldBox) }}
	x.boxes = true
	return &optional{pure: true, value: x.unbox(value.typ, value), has: func(f *Frame) bool {
		v, ok := box(f).(*types.Optional)
		switch {
		case f.failed:
			return false
		case !ok && isOptionalType(c.typ):
			f.decline()
			return false
		case !ok:
			f.fail(noSuchOverload)
			return false
		case !v.HasValue():
			return false
		}
		f.heldBox, f.rare = v.GetValue(), true
		return true
	}}
}

// valueType returns the type of the value of an optional, dyn if it is not known.
func valueType(t *types.Type) *types.Type {
	if isOptionalType(t) && len(t.Parameters()) > 0 {
		return t.Parameters()[0]
	}
	return types.DynType
}

// isAlternative reports whether a call chooses between an optional, of a type that
// may not be known, and an alternative.
func isAlternative(name string, args []operand) bool {
	return (name == "or" || name == "orValue") && len(args) == 2 && args[0].kind() != kindRaw && args[0].typ.Kind() == types.DynKind
}

// optionalOf compiles optional.of, which costs one unit.
func (x *compiler) optionalOf(a operand) operand {
	return operand{cost: a.cost + 1, value: &optional{has: func(*Frame) bool { return true }, value: a.evaluated()}}
}

// optionalNone compiles optional.none, which costs one unit.
func optionalNone() operand {
	return operand{cost: 1, value: &optional{has: func(*Frame) bool { return false }, pure: true}}
}

// evaluated returns the operand without the properties of a variable, a ternary
// or a constant, which some operators treat specially. The caller sets its cost.
func (o operand) evaluated() operand {
	o.cost, o.attr, o.choice, o.presence, o.constant = 0, false, false, false, nil
	if o.extra != nil {
		e := o.ownExtras()
		e.terms, e.chain = nil, nil
	}
	return o
}

// optionalMethod compiles a method of an optional.
func (x *compiler) optionalMethod(name string, args []operand) operand {
	a := args[0]
	m := x.optional(a)
	if x.why != "" {
		return operand{}
	}
	switch {
	case len(args) == 1 && name == "hasValue":
		return operand{cost: a.cost + 1, value: as(kindBool, x.hasValue(m))}
	case len(args) == 1 && name == "value":
		out := x.required(m)
		out.cost = a.cost + 1
		return out
	case len(args) == 2 && name == "orValue":
		return x.valueOr(a.cost, m, args[1])
	case len(args) == 2 && name == "or" && args[1].isOptional():
		return x.optionalOr(a.cost, m, args[1])
	}
	return operand{}
}

// hasValue returns the closure that reports whether there is a value. It reads
// the value too if that costs.
func (x *compiler) hasValue(m *optional) func(*Frame) bool {
	has := m.has
	read := func(*Frame) {}
	if !m.pure {
		read = x.effect(m.value)
	}
	return func(f *Frame) bool {
		if !has(f) {
			return false
		}
		if read(f); f.failed {
		}
		return true
	}
}

// effect returns a function that evaluates an operand only for its effects.
func (x *compiler) effect(c operand) func(*Frame) {
	if v, ok := c.value.(scalar); ok {
		return v.effect()
	}
	box := x.boxed(c)
	return func(f *Frame) { box(f) }
}

// required returns the value of an optional. It fails if there is none.
func (x *compiler) required(m *optional) operand {
	out := m.value
	has := m.has
	enter := func(f *Frame) {
		switch {
		case has(f):
		case f.failed:
		default:
			f.fail(noValue)
		}
	}
	if out.kind() == kindNone {
		out.box = func(*Frame) ref.Val { return types.NullValue }
	}
	out = entering(out, enter)
	return out
}

// valueOr compiles orValue. It costs nothing itself, and its alternative only if
// it is used.
func (x *compiler) valueOr(cost uint64, m *optional, b operand) operand {
	var out operand
	if m.value.kind() == kindNone {
		has, costB := m.has, b.cost
		out = entering(b, func(f *Frame) {
			if has(f); f.failed {
				f.cost -= costB
			}
		})
		out.cost = cost + costB
		return out
	}
	t := &branches{costNo: b.cost, test: m.has}
	out = x.ternaryOf(t, m.value, b)
	out.cost = cost
	return out
}

// optionalOr compiles or, which costs like orValue.
func (x *compiler) optionalOr(cost uint64, a *optional, alternative operand) operand {
	b, choice := x.optional(alternative), x.choice()
	if x.why != "" {
		return operand{}
	}
	costB := alternative.cost
	has := func(f *Frame) bool {
		if a.has(f) {
			f.chosen |= 1 << choice
			return true
		}
		if f.failed {
			return false
		}
		f.chosen &^= 1 << choice
		f.pay(costB)
		return b.has(f)
	}
	return operand{cost: cost, value: &optional{has: has, pure: a.pure && b.pure, value: x.chosenValue(choice, a, b)}}
}

// choice returns a bit of the frame that records which of two optionals was
// chosen.
func (x *compiler) choice() uint {
	if x.choices == maxChoices {
		x.refuse("many optionals")
		return 0
	}
	x.choices++
	return x.choices - 1
}

// maxChoices is the number of such bits.
const maxChoices = 64

// ternaryOfOptionals compiles a ternary of two optionals.
func (x *compiler) ternaryOfOptionals(t *branches, yes, no operand) operand {
	a, b, branch := x.optional(yes), x.optional(no), x.choice()
	if x.why != "" {
		return operand{}
	}
	test, costYes, costNo := t.test, t.costYes, t.costNo
	has := func(f *Frame) bool {
		is := test(f)
		switch {
		case f.failed:
			return false
		case is:
			f.pay(costYes)
			f.chosen |= 1 << branch
			return a.has(f)
		}
		f.pay(costNo)
		f.chosen &^= 1 << branch
		return b.has(f)
	}
	m := &optional{has: has, pure: a.pure && b.pure}
	m.value = x.chosenValue(branch, a, b)
	return operand{value: m}
}

// chosenValue returns the value of the chosen optional.
func (x *compiler) chosenValue(choice uint, a, b *optional) operand {
	switch {
	case a.value.kind() == kindNone:
		return b.value
	case b.value.kind() == kindNone:
		return a.value
	}
	t := &branches{test: func(f *Frame) bool { return f.chosen&(1<<choice) != 0 }}
	out := x.ternaryOf(t, a.value, b.value)
	out.typ = a.value.typ
	return out
}

// boxedOptional returns the closure that boxes an optional. It fails like has.
func (x *compiler) boxedOptional(m *optional) func(*Frame) ref.Val {
	if m.value.kind() == kindNone {
		return func(f *Frame) ref.Val {
			m.has(f)
			return types.OptionalNone
		}
	}
	has, value := m.has, x.boxed(m.value)
	return func(f *Frame) ref.Val {
		if !has(f) {
			return types.OptionalNone
		}
		v := value(f)
		if f.failed {
			return types.OptionalNone
		}
		return types.OptionalOf(v)
	}
}

// entering returns an operand that calls before whenever it is evaluated, and is
// not evaluated if that fails.
func entering(c operand, before func(*Frame)) operand {
	c = c.evaluated()
	if c.value != nil {
		c.value = c.value.after(before)
	}
	c.raw = after(before, c.raw)
	c.box = after(before, c.box)
	if c.extra != nil {
		own := c.ownExtras()
		own.list = after(before, own.list)
	}
	return c
}

func after[T any, F ~func(*Frame) T](before func(*Frame), then F) F {
	if then == nil {
		return nil
	}
	return func(f *Frame) (none T) {
		if before(f); f.failed {
			return none
		}
		return then(f)
	}
}
