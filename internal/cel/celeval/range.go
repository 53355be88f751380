package celeval

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// This file compiles the variables of loops, and what they range over.

// A rangeFunc calls step for each element until step returns false.
type rangeFunc func(f *Frame, step func(*Frame) bool)

// variables returns the variables of a loop and the loop. Only a loop over two has a key.
func (x *compiler) variables(over operand, slot int, two bool) (key, v operand, each rangeFunc) {
	name := operand{cost: 1, attr: true, value: as(kindString, func(f *Frame) string { return f.vars[slot].name })}
	element := func(declared *celvalue.DeclaredType) operand {
		return x.typed(operand{cost: 1, attr: true, declared: declared, raw: func(f *Frame) any { return f.vars[slot].raw }})
	}
	switch {
	case over.kind() == kindRaw && over.declared.IsList():
		key = operand{cost: 1, attr: true, value: as(kindInt, func(f *Frame) int64 { return f.vars[slot].index })}
		return key, element(over.declared.Items), listRange(over.elements(), slot)
	case over.isMap() && two:
		return name, element(over.declared.Values), mapRange(over, slot)
	case two:
		return x.twoVariables(over, slot)
	case over.isMap():
		return key, name, mapRange(over, slot)
	case over.kind() == kindBox || over.kind() != kindRaw && over.typ.Kind() == types.DynKind:
		over.box = x.boxed(over)
		return key, x.boxVariable(elementType(over.typ, 0), slot), boxRange(over.box, slot)
	default:
		x.refuse("comprehension over " + kindName(over))
	}
	return operand{}, operand{}, nil
}

// listRange loops over a list of the object.
func listRange(list listFunc, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		l := list(f)
		if f.failed {
			return
		}
		for i, e := range l {
			f.vars[slot].index, f.vars[slot].raw = int64(i), e
			if !step(f) {
				return
			}
		}
	}
}

// mapRange loops over a map of the object, in increasing order of keys.
func mapRange(over operand, slot int) rangeFunc {
	object := over.object()
	return func(f *Frame, step func(*Frame) bool) {
		m := object(f)
		if f.failed {
			return
		}
		from := len(f.names)
		for name := range m {
			f.names = append(f.names, name)
		}
		names := f.names[from:]
		slices.Sort(names)
		for _, name := range names {
			f.vars[slot].name, f.vars[slot].raw = name, m[name]
			if !step(f) {
				break
			}
		}
		f.names = f.names[:from]
	}
}

// boxRange loops over the elements of a boxed list or the keys of a boxed map.
func boxRange(box func(*Frame) ref.Val, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		boxed := box(f)
		if f.failed {
			return
		}
		v, ok := boxed.(traits.Iterable)
		if m, isMap := v.(traits.Mapper); isMap {
			v = cellib.OrderedMap(m)
		}
		if !ok {
			f.notIterable(boxed)
			return
		}
		for it := v.Iterator(); it.HasNext() == types.True; {
			f.vars[slot].box = it.Next()
			if !step(f) {
				return
			}
		}
	}
}

// notIterable makes a loop over a scalar fail.
func (f *Frame) notIterable(v ref.Val) {
	switch v.(type) {
	case types.Bool, types.Int, types.Uint, types.Double, types.String, types.Bytes, types.Null, types.Duration, types.Timestamp:
		f.fail(&EvalError{text: fmt.Sprintf("got '%T', expected iterable type", v)})
	default:
		f.decline()
	}
}

// boxVariable returns the variable that holds a boxed value of type t.
func (x *compiler) boxVariable(t *types.Type, slot int) operand {
	x.boxes = true
	return x.unbox(t, operand{cost: 1, attr: true, box: func(f *Frame) ref.Val { return f.checked(f.vars[slot].box) }})
}

// elementType returns a type parameter of a list or map, and dyn for other types.
func elementType(t *types.Type, i int) *types.Type {
	if p := t.Parameters(); (t.Kind() == types.ListKind || t.Kind() == types.MapKind) && i < len(p) {
		return p[i]
	}
	return types.DynType
}

// twoVariables returns the variables of a loop over a boxed list or map, and the loop.
func (x *compiler) twoVariables(over operand, slot int) (key, v operand, each rangeFunc) {
	if over.kind() == kindBox {
		keyType, valueOf := elementType(over.typ, 0), elementType(over.typ, 1)
		if over.typ.Kind() == types.ListKind {
			keyType, valueOf = types.IntType, keyType
		}
		key = x.unbox(keyType, operand{cost: 1, attr: true, box: func(f *Frame) ref.Val { return f.checked(f.vars[slot].key) }})
		return key, x.boxVariable(valueOf, slot), entries(over.box, slot)
	}
	x.refuse("comprehension with two variables over " + kindName(over))
	return operand{}, operand{}, nil
}

// entries loops over the keys, or indexes, and values of a boxed map or list.
func entries(box func(*Frame) ref.Val, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		v := box(f)
		if f.failed {
			return
		}
		if l, isList := v.(traits.Lister); isList {
			for i := range actualSize(l) {
				f.vars[slot].key, f.vars[slot].box = types.Int(i), l.Get(types.Int(i))
				if !step(f) {
					return
				}
			}
			return
		}
		m, ok := v.(traits.Mapper)
		if !ok {
			f.decline()
			return
		}
		for it := cellib.OrderedMap(m).Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			v, found := m.Find(k)
			if !found { // NaN has a value
				f.decline()
				return
			}
			f.vars[slot].key, f.vars[slot].box = k, v
			if !step(f) {
				return
			}
		}
	}
}
