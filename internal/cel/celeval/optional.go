package celeval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// An optional is two closures. has reports whether there is a value, and value reads it. has
// leaves the value in the frame and does not pay for it. So the caller must then call value once.
type optional struct {
	has   func(*Frame) bool
	value operand // has does not pay its cost; of kindNone if there is never a value
	pure  bool    // reading the value has no effect, so it may be left out
}

func (*optional) kind() kind { return kindOptional }

func (o *optional) after(before func(*Frame)) value {
	return &optional{has: after(before, o.has), value: o.value, pure: o.pure}
}

func (o operand) isOptional() bool {
	return o.kind() == kindOptional || o.kind() == kindBox && o.typ != nil && isOptionalType(o.typ)
}

func isOptionalType(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == types.OptionalType.TypeName()
}

func (x *compiler) optional(c operand) *optional {
	if of, ok := c.value.(*optional); ok {
		return of
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
		f.heldBox = v.GetValue()
		return true
	}}
}

func valueType(t *types.Type) *types.Type {
	if isOptionalType(t) && len(t.Parameters()) > 0 {
		return t.Parameters()[0]
	}
	return types.DynType
}

// isAlternative reports whether a call is v.or(w) or v.orValue(w), and v may be an optional.
func isAlternative(name string, args []operand) bool {
	return (name == "or" || name == "orValue") && len(args) == 2 && args[0].kind() != kindRaw && args[0].typ.Kind() == types.DynKind
}

func (x *compiler) optionalOf(a operand) operand {
	return operand{cost: a.cost + 1, value: &optional{has: func(*Frame) bool { return true }, value: a.evaluated()}}
}

func optionalNone() operand {
	return operand{cost: 1, value: &optional{has: func(*Frame) bool { return false }, pure: true}}
}

// evaluated returns o with cost 0. The result is not marked as a variable, ternary or constant.
func (o operand) evaluated() operand {
	o.cost, o.attr, o.choice, o.presence, o.constant = 0, false, false, false, nil
	o.terms, o.chain = nil, nil
	return o
}

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
		found := &optional{has: func(*Frame) bool { return true }, value: m.value, pure: m.pure}
		out := x.ternaryOfOptionals(&branches{test: m.has, costNo: args[1].cost}, found, x.optional(args[1]))
		out.cost = a.cost
		return out
	}
	return operand{}
}

// hasValue returns a closure that reports whether there is a value. If evaluating the value may
// fail or has a cost, the closure also evaluates it.
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
		read(f)
		return true
	}
}

func (x *compiler) effect(c operand) func(*Frame) {
	if v, ok := c.value.(scalar); ok {
		return v.effect()
	}
	box := x.boxed(c)
	return func(f *Frame) { box(f) }
}

// required returns the value of an optional. It fails if there is none.
func (x *compiler) required(m *optional) operand {
	out, has := m.value, m.has
	if out.kind() == kindNone {
		out.box = func(*Frame) ref.Val { return types.NullValue }
	}
	return withBefore(out, func(f *Frame) {
		if !has(f) {
			f.fail(noValue)
		}
	})
}

// valueOr compiles orValue, which costs nothing. The alternative costs something only if it is
// used.
func (x *compiler) valueOr(cost uint64, m *optional, b operand) operand {
	var out operand
	if m.value.kind() == kindNone {
		has, costB := m.has, b.cost
		out = withBefore(b, func(f *Frame) {
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

// ternaryOfOptionals compiles a ternary of two optionals. A bit in the frame records the choice.
func (x *compiler) ternaryOfOptionals(t *branches, a, b *optional) operand {
	bit := uint64(1) << x.choices
	if x.choices++; x.choices > maxChoices || x.why != "" {
		return x.refuse("many optionals")
	}
	test, costYes, costNo := t.test, t.costYes, t.costNo
	has := func(f *Frame) bool {
		is := test(f)
		switch {
		case f.failed:
			return false
		case is:
			f.pay(costYes)
			f.chosen |= bit
			return a.has(f)
		}
		f.pay(costNo)
		f.chosen &^= bit
		return b.has(f)
	}
	return operand{value: &optional{has: has, pure: a.pure && b.pure, value: x.chosenValue(bit, a.value, b.value)}}
}

const maxChoices = 64

func (x *compiler) chosenValue(bit uint64, a, b operand) operand {
	switch {
	case a.kind() == kindNone:
		return b
	case b.kind() == kindNone:
		return a
	}
	out := x.ternaryOf(&branches{test: func(f *Frame) bool { return f.chosen&bit != 0 }}, a, b)
	out.typ = a.typ
	return out
}

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

// withBefore returns an operand that calls setUp, then evaluates c. It fails if setUp fails.
func withBefore(c operand, setUp func(*Frame)) operand {
	c = c.evaluated()
	if c.value != nil {
		c.value = c.value.after(setUp)
	}
	c.raw = after(setUp, c.raw)
	c.box = after(setUp, c.box)
	c.list = after(setUp, c.list)
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

// Optionals of parts of the object: oldSelf, and what .? and [?] select. An absent part costs
// nothing.

// optionalPart returns the optional of a part of the object. get reads it and reports whether it is
// present.
func (x *compiler) optionalPart(declared *celvalue.DeclaredType, get func(*Frame) (any, bool)) *optional {
	held := operand{declared: declared, raw: func(f *Frame) any { return f.held }}
	return &optional{pure: true, value: x.typed(held), has: func(f *Frame) bool {
		v, ok := get(f)
		f.held = v
		return ok && !f.failed
	}}
}

// optionalBelow compiles .? or [?] on the operand, for one unit. get reads the field or element.
func (x *compiler) optionalBelow(of operand, declared *celvalue.DeclaredType, get func(*Frame) (any, bool)) operand {
	out := operand{cost: of.cost, attr: !of.choice, choice: of.choice}
	if !of.attr && !of.choice {
		out.cost++
	}
	out.value = x.optionalPart(declared, func(f *Frame) (any, bool) {
		v, ok := get(f)
		if !ok || f.failed {
			return nil, false
		}
		if !declared.Fits(v) {
			f.decline()
		}
		f.cost++
		return v, true
	})
	return out
}

// part returns the type and a closure of a part of the object, or of an optional of a part. For
// other operands it returns nil.
func (o operand) part() (*celvalue.DeclaredType, func(*Frame) (any, bool)) {
	has := func(*Frame) bool { return true }
	if m, ok := o.value.(*optional); ok {
		o, has = m.value, m.has
	}
	if o.kind() != kindRaw || o.list != nil {
		return nil, nil
	}
	raw := o.raw
	return o.declared, func(f *Frame) (any, bool) {
		if !has(f) {
			return nil, false
		}
		v := raw(f)
		if v == nil {
			f.wrongType()
		}
		return v, !f.failed
	}
}

// optionalField compiles a field of the object that may be absent. For other operands, the result
// is of kindNone.
func (x *compiler) optionalField(of operand, field string) operand {
	declared, get := of.part()
	if declared == nil || declared.Kind != celvalue.KindObject {
		return operand{}
	}
	name, s := declared.Entry(field)
	if s == nil {
		return operand{}
	}
	isField := declared.Props != nil
	return x.optionalBelow(of, s, func(f *Frame) (any, bool) {
		v, ok := get(f)
		if !ok {
			return nil, false
		}
		m, ok := v.(map[string]any)
		if !ok {
			f.decline()
		}
		v, ok = m[name]
		return v, ok && !(isField && v == nil)
	})
}

func (x *compiler) optionalSelection(of, at operand, t *types.Type) operand {
	name, ok := at.constant.(types.String)
	if !ok || of.presence {
		return x.refuse("optional field")
	}
	if out := x.optionalField(of, string(name)); out.kind() != kindNone {
		return out
	}
	return x.qualified(of, qualifier{known: name, optional: true}, t)
}

// optionalIndex compiles a[?i] if question is true, else a[i], where a is an optional. The result
// is an optional of type t. If the list or map is absent, the index is not evaluated. t may be
// wrong, as in dyn(x).orValue(y): then the value decides whether the result is an optional.
func (x *compiler) optionalIndex(a, i operand, t *types.Type, question bool) operand {
	if a.presence || i.presence {
		return x.refuse("optional index with has")
	}
	switch declared, get := a.part(); {
	case declared == nil:
	case declared.IsList() && i.kind() == kindInt:
		return x.optionalBelow(a, declared.Items, foundAt(get, closureOf[int64](i), branchCost(i), inList))
	case declared.Kind == celvalue.KindObject && declared.Values != nil && i.kind() == kindString:
		return x.optionalBelow(a, declared.Values, foundAt(get, closureOf[string](i), branchCost(i), inMap))
	}
	q := x.indexWith(i)
	q.optional = question
	return x.qualified(a, q, t)
}

// foundAt returns a closure that looks up an element of a list or map with find.
func foundAt[C, K any](get func(*Frame) (any, bool), at func(*Frame) K, cost uint64, find func(C, K) (any, bool)) func(*Frame) (any, bool) {
	return func(f *Frame) (any, bool) {
		v, ok := get(f)
		if !ok {
			return nil, false
		}
		in, ok := v.(C)
		if !ok {
			f.decline()
		}
		f.pay(cost)
		return find(in, at(f))
	}
}

// optionals compiles constructors and methods of optionals. For other calls, the result is of
// kindNone.
func (x *compiler) optionals(name string, args []operand) operand {
	switch {
	case name == "optional.of" && len(args) == 1:
		return x.optionalOf(args[0])
	case name == "optional.none" && len(args) == 0:
		return optionalNone()
	case len(args) > 0 && (args[0].isOptional() || isAlternative(name, args)):
		return x.optionalMethod(name, args)
	}
	return operand{}
}
