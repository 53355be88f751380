package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Optionals of any value. One is two closures: has tells whether there is a
// value, and value reads it. Whoever calls has and is told so calls value next,
// once and before anything else, as the value may be held in the frame and may
// still have to be paid for. Optionals of parts of the object have a form
// of their own, which is made into this one where they meet others.

// A maybe is an optional of any value.
type maybe struct {
	has   func(*frame) bool
	value code // costs nothing that has does not pay; without kind if there never is one
	plain bool // reading the value has no effect, so that it may be left out
}

// isOptional reports whether code yields an optional.
func (c code) isOptional() bool {
	return c.kind == kindOptional || c.kind == kindMaybe || c.kind == kindBox && c.typ != nil && isOptionalType(c.typ)
}

func isOptionalType(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == types.OptionalType.TypeName()
}

// maybe returns the optional that code yields.
func (x *executor) maybe(c code) *maybe {
	switch c.kind {
	case kindMaybe:
		return c.maybe
	case kindOptional:
		of := c.optional
		return &maybe{plain: true, value: x.typed(code{shape: c.shape, raw: func(f *frame) any { return f.held }}), has: func(f *frame) bool {
			v, ok := of(f)
			f.held = v
			return ok && !f.bail
		}}
	}
	box := c.box
	value := code{kind: kindBox, typ: c.typ.Parameters()[0], box: func(f *frame) ref.Val { return f.checked(f.heldBox) }}
	x.boxes = true
	return &maybe{plain: true, value: x.unbox(value.typ, value), has: func(f *frame) bool {
		v, ok := box(f).(*types.Optional)
		switch {
		case f.bail:
			return false
		case !ok:
			f.void()
			return false
		case !v.HasValue():
			return false
		}
		f.heldBox, f.rare = v.GetValue(), true
		return true
	}}
}

// optionalOf compiles optional.of, which costs one unit.
func (x *executor) optionalOf(a code) code {
	cost := a.cost + 1
	value := a.evaluated()
	return code{kind: kindMaybe, cost: cost, maybe: &maybe{has: func(*frame) bool { return true }, value: value}}
}

// optionalNone compiles optional.none, which costs one unit too.
func optionalNone() code {
	return code{kind: kindMaybe, cost: 1, maybe: &maybe{has: func(*frame) bool { return false }, plain: true}}
}

// evaluated returns code as the value that it has: not as a variable, a ternary
// or a constant, which some uses treat in their own way. Its cost is up to the
// caller.
func (c code) evaluated() code {
	c.cost, c.attr, c.choice, c.presence, c.constant, c.sumOf = 0, false, false, false, nil, nil
	return c
}

// optionalMethod compiles a function of an optional.
func (x *executor) optionalMethod(name string, args []code) code {
	a := args[0]
	m := x.maybe(a)
	if x.why != "" {
		return code{}
	}
	switch {
	case len(args) == 1 && name == "hasValue":
		return code{kind: kindBool, cost: a.cost + 1, bool: x.hasValue(m)}
	case len(args) == 1 && name == "value":
		out := x.required(m)
		out.cost = a.cost + 1
		return out
	case len(args) == 2 && name == "orValue":
		return x.valueOr(a.cost, m, args[1])
	case len(args) == 2 && name == "or" && args[1].isOptional():
		return x.optionalOr(a.cost, m, args[1])
	}
	return code{}
}

// hasValue reads the value too, for what it costs.
func (x *executor) hasValue(m *maybe) func(*frame) bool {
	has := m.has
	if m.plain {
		return has
	}
	read := x.reading(m.value)
	return func(f *frame) bool {
		if !has(f) {
			return false
		}
		read(f)
		return true
	}
}

// reading returns what evaluates code for nothing but its effects.
func (x *executor) reading(c code) func(*frame) {
	switch c.kind {
	case kindBool:
		return func(f *frame) { c.bool(f) }
	case kindInt, kindDuration:
		return func(f *frame) { c.int(f) }
	case kindDouble:
		return func(f *frame) { c.double(f) }
	case kindString:
		return func(f *frame) { c.string(f) }
	case kindTimestamp:
		return func(f *frame) { c.time(f) }
	}
	box := x.boxed(c)
	return func(f *frame) { box(f) }
}

// required reads the value of an optional that has one; without one there is an
// error.
func (x *executor) required(m *maybe) code {
	has := m.has
	if m.value.kind == kindNone {
		return code{kind: kindBox, box: func(f *frame) ref.Val {
			has(f)
			f.void()
			return types.NullValue
		}}
	}
	return entering(m.value, func(f *frame) {
		if !has(f) {
			f.void()
		}
	})
}

// valueOr compiles orValue, which costs nothing itself, and its alternative only
// if it is needed.
func (x *executor) valueOr(cost uint64, m *maybe, b code) code {
	var out code
	if m.value.kind == kindNone {
		has := m.has
		out = entering(b, func(f *frame) { has(f) })
		out.cost = cost + b.cost
		return out
	}
	out = x.ternaryOf(&branches{costNo: b.cost, test: m.has}, m.value, b)
	out.cost = cost
	return out
}

// optionalOr compiles or, which costs as orValue does.
func (x *executor) optionalOr(cost uint64, a *maybe, alternative code) code {
	b, choice := x.maybe(alternative), x.choice()
	if x.why != "" {
		return code{}
	}
	costB := alternative.cost
	has := func(f *frame) bool {
		if a.has(f) {
			f.chosen |= 1 << choice
			return true
		}
		if f.bail {
			return false
		}
		f.chosen &^= 1 << choice
		f.cost += costB
		return b.has(f)
	}
	return code{kind: kindMaybe, cost: cost, maybe: &maybe{has: has, plain: a.plain && b.plain, value: x.chosenValue(choice, a, b)}}
}

// choice returns the place in the frame for which of two optionals it is.
func (x *executor) choice() uint {
	if x.choices == maxChoices {
		x.refuse("many optionals")
		return 0
	}
	x.choices++
	return x.choices - 1
}

// maxChoices is how many optionals of one rule may be chosen from two.
const maxChoices = 64

// ternaryOfOptionals compiles a choice between two optionals.
func (x *executor) ternaryOfOptionals(t *branches, yes, no code) code {
	a, b, branch := x.maybe(yes), x.maybe(no), x.choice()
	if x.why != "" {
		return code{}
	}
	test, costYes, costNo := t.test, t.costYes, t.costNo
	has := func(f *frame) bool {
		is := test(f)
		switch {
		case f.bail:
			f.at = 0
			return false
		case is:
			f.cost += costYes
			f.chosen |= 1 << branch
			return a.has(f)
		}
		f.cost += costNo
		f.chosen &^= 1 << branch
		return b.has(f)
	}
	m := &maybe{has: has, plain: a.plain && b.plain}
	m.value = x.chosenValue(branch, a, b)
	return code{kind: kindMaybe, maybe: m}
}

// chosenValue returns the value of one of two optionals, as a choice of the frame
// tells.
func (x *executor) chosenValue(choice uint, a, b *maybe) code {
	switch {
	case a.value.kind == kindNone:
		return b.value
	case b.value.kind == kindNone:
		return a.value
	}
	out := x.ternaryOf(&branches{test: func(f *frame) bool { return f.chosen&(1<<choice) != 0 }}, a.value, b.value)
	out.typ = a.value.typ
	return out
}

// boxedMaybe returns an optional as a value of CEL.
func (x *executor) boxedMaybe(m *maybe) func(*frame) ref.Val {
	if m.value.kind == kindNone {
		return func(*frame) ref.Val { return types.OptionalNone }
	}
	has, value := m.has, x.boxed(m.value)
	return func(f *frame) ref.Val {
		if !has(f) {
			return types.OptionalNone
		}
		return types.OptionalOf(value(f))
	}
}

// entering returns code that calls before whenever it is evaluated.
func entering(c code, before func(*frame)) code {
	c = c.evaluated()
	c.bool = after(before, c.bool)
	c.int = after(before, c.int)
	c.double = after(before, c.double)
	c.string = after(before, c.string)
	c.raw = after(before, c.raw)
	c.list = after(before, c.list)
	c.box = after(before, c.box)
	c.time = after(before, c.time)
	c.sum = after(before, c.sum)
	c.quantity = after(before, c.quantity)
	c.address = after(before, c.address)
	c.network = after(before, c.network)
	c.url = after(before, c.url)
	c.version = after(before, c.version)
	c.texts = after(before, c.texts)
	if of := c.optional; of != nil {
		c.optional = func(f *frame) (any, bool) {
			before(f)
			return of(f)
		}
	}
	if c.maybe != nil {
		m := *c.maybe
		m.has = after(before, m.has)
		c.maybe = &m
	}
	return c
}

func after[T any, F ~func(*frame) T](before func(*frame), then F) F {
	if then == nil {
		return nil
	}
	return func(f *frame) T {
		before(f)
		return then(f)
	}
}
