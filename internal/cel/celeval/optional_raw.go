package celeval

import (
	"github.com/google/cel-go/common/types"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// This file compiles optionals of raw values: an optional oldSelf, and fields
// selected by .? and below. An absent field costs nothing.

// optionalField compiles a field of an optional part of the object. It returns an
// operand without kind for fields that are not declared.
func (x *compiler) optionalField(c operand, field string) operand {
	if c.declared.Kind != celvalue.KindObject {
		return operand{}
	}
	name, s := c.declared.Entry(field)
	if s == nil {
		return operand{}
	}
	cost, declared := c.cost, c.declared.Props != nil
	of, _ := c.value.(rawOptional)
	if !c.attr && !c.choice {
		cost++
	}
	return operand{cost: cost, attr: !c.choice, choice: c.choice, declared: s, value: rawOptional(func(f *Frame) (any, bool) {
		v, ok := of.get(f)
		if !ok {
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

// optionalSelection compiles .? with a name, to an optional of type t.
func (x *compiler) optionalSelection(of, at operand, t *types.Type) operand {
	name, ok := at.constant.(types.String)
	if !ok || of.presence {
		return x.refuse("optional field")
	}
	if raw := x.rawOptional(of); raw.kind() == kindRawOptional {
		if out := x.optionalField(raw, string(name)); out.kind() != kindNone {
			return out
		}
	}
	return x.qualified(of, qualifier{known: name, optional: true}, t)
}

// rawOptional returns an operand of a raw value, or of an optional of one, as a
// rawOptional. It returns other operands unchanged.
func (x *compiler) rawOptional(of operand) operand {
	if of.kind() == kindRaw {
		raw := of.raw
		of.value = rawOptional(func(f *Frame) (any, bool) {
			v := raw(f)
			if v == nil {
				f.unfit()
			}
			return v, true
		})
		return of
	}
	m, ok := of.value.(*optional)
	if !ok || m.value.kind() != kindRaw || m.value.extras().list != nil {
		return of
	}
	raw := m.value.raw
	of.declared = m.value.declared
	of.value = rawOptional(func(f *Frame) (any, bool) {
		if !m.has(f) {
			return nil, false
		}
		v := raw(f)
		if v == nil {
			f.unfit()
		}
		return v, true
	})
	return of
}

// get evaluates an optional. It is not ok if there is no value.
func (o rawOptional) get(f *Frame) (v any, ok bool) {
	v, ok = o(f)
	if f.failed {
		return nil, false
	}
	return v, ok
}

// optionalIndex compiles [?i] and the index of an optional, to an optional of type
// t. An absent element costs nothing. The index of an absent list or map is not
// evaluated. may reports that the index is [?i]. Of other indexes, the value says whether it
// is an optional: its type may be wrong, as that of dyn(x).orValue(y).
func (x *compiler) optionalIndex(of, at operand, t *types.Type, may bool) operand {
	if of.presence || at.presence {
		return x.refuse("optional index with has")
	}
	if raw := x.rawOptional(of); raw.kind() == kindRawOptional {
		if out := x.rawOptionalIndex(raw, at); out.kind() != kindNone {
			return out
		}
	}
	q := x.indexWith(at)
	q.optional = may
	return x.qualified(of, q, t)
}

// rawOptionalIndex compiles an index of an optional part of the object. It returns
// an operand without kind for other indexes than those of lists and maps.
func (x *compiler) rawOptionalIndex(of, at operand) operand {
	cost := of.cost
	if !of.attr && !of.choice {
		cost++
	}
	out := operand{cost: cost, attr: !of.choice, choice: of.choice}
	switch {
	case of.declared.IsList() && at.kind() == kindInt:
		out.declared = of.declared.Items
		out.value = foundAt(of, at, out.declared, rawList, func(l []any, n int64) (v any, ok bool) {
			if ok = n >= 0 && n < int64(len(l)); ok {
				v = l[n]
			}
			return v, ok
		})
	case of.declared.Kind == celvalue.KindObject && of.declared.Values != nil && at.kind() == kindString:
		out.declared = of.declared.Values
		out.value = foundAt(of, at, out.declared, rawMap, func(m map[string]any, key string) (v any, ok bool) {
			v, ok = m[key]
			return v, ok
		})
	default:
		return operand{}
	}
	return out
}

func rawList(v any) ([]any, bool) {
	l, ok := v.([]any)
	return l, ok
}

func rawMap(v any) (map[string]any, bool) {
	m, ok := v.(map[string]any)
	return m, ok
}

// foundAt returns the value at an index of the list or map C in an optional, as which
// container returns a raw value. A value that is found costs one unit.
func foundAt[C, K any](of, at operand, declared *celvalue.DeclaredType, container func(any) (C, bool), find func(C, K) (any, bool)) rawOptional {
	value, key, atCost := of.value.(rawOptional), closureOf[K](at), branchCost(at)
	return func(f *Frame) (any, bool) {
		v, ok := value.get(f)
		if !ok {
			return nil, false
		}
		in, ok := container(v)
		if !ok {
			f.decline()
			return nil, false
		}
		f.pay(atCost)
		k := key(f)
		if f.failed {
			return nil, false
		}
		if v, ok = find(in, k); !ok {
			return nil, false
		}
		if !declared.Fits(v) {
			f.decline()
		}
		f.cost++
		return v, true
	}
}

// optionals compiles constructors and methods of optionals. It returns an operand
// without kind for other calls.
func (x *compiler) optionals(name string, args []operand) operand {
	switch {
	case name == "optional.of" && len(args) == 1:
		return x.optionalOf(args[0])
	case name == "optional.none" && len(args) == 0:
		return optionalNone()
	case len(args) > 0 && isAlternative(name, args):
		return x.optionalMethod(name, args)
	case len(args) == 0 || !args[0].isOptional():
		return operand{}
	}
	return x.optionalMethod(name, args)
}
