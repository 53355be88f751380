package celeval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/celvalue"
)

// This file compiles optionals of raw values: an optional oldSelf, and fields
// selected by .? and below. An absent field costs nothing.

// optionalField compiles a field of an optional.
func (x *compiler) optionalField(c operand, field string, test bool) operand {
	if test || c.declared.Kind != celvalue.KindObject {
		return x.refuse("field of an optional")
	}
	name, s := c.declared.Entry(field)
	if s == nil {
		return x.refuse("field that is not declared")
	}
	cost, declared := c.cost, c.declared.Props != nil
	of, _ := c.value.(rawOptional)
	if !c.attr && !c.choice {
		cost++
	}
	return operand{cost: cost, attr: !c.choice, choice: c.choice, declared: s, value: rawOptional(func(f *Frame) (any, bool) {
		v, ok := of(f)
		if !ok || f.failed {
			return nil, false
		}
		m, ok := v.(map[string]any)
		if !ok {
			f.decline()
			return nil, false
		}
		v, ok = m[name]
		if !ok || declared && v == nil {
			return nil, false
		}
		if !s.Fits(v) {
			f.decline()
		}
		f.cost++
		return v, true
	})}
}

// optionalSelection compiles .? with a name.
func (x *compiler) optionalSelection(of, at operand) operand {
	name, ok := at.constant.(types.String)
	if !ok || of.presence {
		return x.refuse("optional field")
	}
	if of = x.rawOptional(of); of.kind() != kindRawOptional {
		return x.refuse("optional field of " + kindName(of))
	}
	return x.optionalField(of, string(name), false)
}

// rawOptional returns an operand of a raw value, or of an optional of one, as a
// rawOptional. It returns other operands unchanged.
func (x *compiler) rawOptional(of operand) operand {
	if of.kind() == kindRaw {
		raw := of.raw
		of.value = rawOptional(func(f *Frame) (any, bool) {
			v := raw(f)
			if v == nil {
				f.decline()
			}
			return v, true
		})
		return of
	}
	m, ok := of.value.(*optional)
	if !ok || m.value.kind() != kindRaw || m.value.list != nil {
		return of
	}
	has, raw := m.has, m.value.raw
	of.declared = m.value.declared
	of.value = rawOptional(func(f *Frame) (any, bool) {
		if !has(f) {
			return nil, false
		}
		v := raw(f)
		if v == nil {
			f.decline()
		}
		return v, true
	})
	return of
}

// optionalIndex compiles [?i] and the index of an optional. An absent element
// costs nothing. The index of an absent list or map is not evaluated.
func (x *compiler) optionalIndex(of, at operand) operand {
	if of.presence || at.presence {
		return x.refuse("optional index with has")
	}
	cost, atCost := of.cost, at.cost
	if at.attr {
		atCost--
	}
	if !of.attr && !of.choice {
		cost++
	}
	if of.kind() == kindStrings || of.kind() == kindBox && !of.isOptional() {
		return x.boxedOptionalIndex(of, at, cost+atCost)
	}
	if of = x.rawOptional(of); of.kind() != kindRawOptional {
		return x.refuse("optional index of " + kindName(of))
	}
	out := operand{cost: cost, attr: !of.choice, choice: of.choice}
	value, _ := of.value.(rawOptional)
	switch {
	case of.declared.IsList() && at.kind() == kindInt:
		i, s := closureOf[int64](at), of.declared.Items
		out.declared = s
		out.value = rawOptional(func(f *Frame) (any, bool) {
			v, ok := value(f)
			if !ok || f.failed {
				return nil, false
			}
			l, ok := v.([]any)
			if !ok {
				f.decline()
				return nil, false
			}
			f.pay(atCost)
			n := i(f)
			if f.failed || n < 0 || n >= int64(len(l)) {
				return nil, false
			}
			return f.foundAt(l[n], s)
		})
	case of.declared.Kind == celvalue.KindObject && of.declared.Values != nil && at.kind() == kindString:
		name, s := closureOf[string](at), of.declared.Values
		out.declared = s
		out.value = rawOptional(func(f *Frame) (any, bool) {
			v, ok := value(f)
			if !ok || f.failed {
				return nil, false
			}
			m, ok := v.(map[string]any)
			if !ok {
				f.decline()
				return nil, false
			}
			f.pay(atCost)
			k := name(f)
			if v, ok = m[k]; f.failed || !ok {
				return nil, false
			}
			return f.foundAt(v, s)
		})
	default:
		return x.refuse("optional index of " + kindName(of))
	}
	return out
}

// foundAt returns the value that an optional index found. It costs one unit.
func (f *Frame) foundAt(v any, s *celvalue.DeclaredType) (any, bool) {
	if !s.Fits(v) {
		f.decline()
	}
	f.cost++
	return v, true
}

// boxedOptionalIndex compiles [?i] of a list or map that is not a part of the
// object.
func (x *compiler) boxedOptionalIndex(of, at operand, cost uint64) operand {
	var value *types.Type
	var find func(f *Frame, v ref.Val) (ref.Val, bool)
	switch {
	case of.typ.Kind() == types.ListKind && at.kind() == kindInt:
		i := closureOf[int64](at)
		value = of.typ.Parameters()[0]
		find = func(f *Frame, v ref.Val) (ref.Val, bool) {
			l, ok := v.(traits.Lister)
			n := i(f)
			if !ok || f.failed {
				f.decline()
				return nil, false
			}
			if n < 0 || n >= int64(actualSize(l)) {
				return nil, false
			}
			return l.Get(types.Int(n)), true
		}
	case of.typ.Kind() == types.MapKind && at.kind() == kindString:
		name := closureOf[string](at)
		value = of.typ.Parameters()[1]
		find = func(f *Frame, v ref.Val) (ref.Val, bool) {
			m, ok := v.(traits.Mapper)
			k := name(f)
			if !ok || f.failed {
				f.decline()
				return nil, false
			}
			return m.Find(types.String(k))
		}
	default:
		return x.refuse("optional index of " + kindName(of))
	}
	box := x.boxed(of)
	held := operand{typ: value, box: func(f *Frame) ref.Val { return f.heldBox }}
	m := &optional{pure: true, value: x.unbox(value, held), has: func(f *Frame) bool {
		v, ok := find(f, box(f))
		if ok && !f.failed {
			f.cost++
			f.heldBox, f.rare = f.checked(v), true
		}
		return ok && !f.failed
	}}
	return operand{cost: cost, attr: !of.choice, choice: of.choice, value: m}
}

// optionals compiles constructors and methods of optionals. It returns an operand
// without kind for other calls.
func (x *compiler) optionals(name string, args []operand) operand {
	switch {
	case name == "optional.of" && len(args) == 1:
		return x.optionalOf(args[0])
	case name == "optional.none" && len(args) == 0:
		return optionalNone()
	case len(args) == 0 || !args[0].isOptional():
		return operand{}
	case args[0].kind() == kindRawOptional:
		return x.optionalCall(name, args)
	}
	return x.optionalMethod(name, args)
}

// optionalCall compiles a method of a rawOptional.
func (x *compiler) optionalCall(name string, args []operand) operand {
	a := args[0]
	of, _ := a.value.(rawOptional)
	switch {
	case len(args) == 1 && name == "hasValue":
		return operand{cost: a.cost + 1, value: as(kindBool, func(f *Frame) bool {
			_, ok := of(f)
			return ok
		})}
	case len(args) == 1 && name == "value":
		return x.typed(operand{cost: a.cost + 1, declared: a.declared, raw: func(f *Frame) any {
			v, ok := of(f)
			if !ok {
				f.decline()
			}
			return v
		}})
	}
	return x.optionalMethod(name, args)
}
