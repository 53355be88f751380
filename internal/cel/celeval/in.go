package celeval

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// in compiles membership. In a list it costs the size of the list, and nothing if
// the list is a constant of primitive values.
func (x *compiler) in(e ast.Expr, v, of operand) operand {
	overload := x.overload(e)
	if known, ok := of.constant.(traits.Lister); ok && overload == overloads.InList {
		return x.inKnown(e, v, of, known)
	}
	switch {
	case overload == overloads.InMap && v.kind() == kindString && of.kind() == kindRaw && of.declared.Kind == celvalue.KindObject && of.declared.Props == nil && of.declared.Values != nil:
		return operand{cost: costs(v, of, 1), value: as(kindBool, hasNamed(v, of))}
	case overload == overloads.InList && v.kind() == kindString && of.kind() == kindRaw && of.declared.IsList() && of.declared.Items.Kind == celvalue.KindString:
		return hasText(v, of)
	}
	return x.bridge(e, operators.In, []operand{v, of})
}

// hasText compiles the membership of a string in a list.
func hasText(v, of operand) operand {
	name, list := closureOf[string](v), of.elements()
	return operand{cost: costs(v, of, 0), value: as(kindBool, func(f *Frame) bool {
		text, l, left, right, ok := both(f, name, list)
		if !ok {
			return false
		}
		size := len(l)
		if right != nil {
			size = len(errorText)
		}
		f.pay(uint64(size))
		if f.failed || f.failEither(left, right) {
			return false
		}
		for _, e := range l {
			s, ok := e.(string)
			if !ok {
				f.decline()
			}
			if !ok || s == text {
				return ok
			}
		}
		return false
	})}
}

// hasNamed returns a closure that reports whether a map has a key.
func hasNamed(v, in operand) func(*Frame) bool {
	name, object, s := closureOf[string](v), in.object(), in.declared.Values
	return func(f *Frame) bool {
		key, m, left, right, ok := both(f, name, object)
		if !ok || f.failEither(left, right) {
			return false
		}
		v, ok := m[key]
		if ok && !s.Fits(v) {
			f.decline()
		}
		return ok
	}
}

func (x *compiler) inKnown(e ast.Expr, v, of operand, known traits.Lister) operand {
	if known.Size() == types.IntZero {
		return x.constant(types.False)
	}
	set := setOf(known)
	if set == nil { // cel-go visits the list
		return x.bridge(e, operators.In, []operand{v, of})
	}
	out := operand{cost: v.cost}
	switch {
	case v.kind() == kindString:
		out.value = as(kindBool, inSet(v, set.texts))
	case v.kind() == kindInt:
		out.value = as(kindBool, inSet(v, set.ints))
	case v.kind() == kindRaw && v.declared.Kind == celvalue.KindIntOrString:
		raw := v.raw
		out.value = as(kindBool, func(f *Frame) bool {
			switch v := raw(f).(type) {
			case string:
				return contains(set.texts, v)
			case int64:
				return contains(set.ints, v)
			}
			f.unfit()
			return false
		})
	default:
		box := x.boxed(v)
		out.value = as(kindBool, func(f *Frame) bool {
			v := box(f)
			if f.failed {
				return false
			}
			switch v.(type) {
			case traits.Lister, traits.Mapper: // not primitive
				return false
			}
			return f.hashable(v) && set.all[v]
		})
	}
	return out
}

// inSet returns a closure that reports whether a value is one of a list.
func inSet[T comparable](v operand, list []T) func(*Frame) bool {
	of := closureOf[T](v)
	return func(f *Frame) bool { return contains(list, of(f)) }
}

// A knownSet holds the elements of a constant list of primitive values. As in
// cel-go, a number is in it if an equal number of another type is in the list.
type knownSet struct {
	texts []string
	ints  []int64
	all   map[ref.Val]bool
}

// setOf returns the set of a list, nil if an element is not primitive.
func setOf(list traits.Lister) *knownSet {
	s := &knownSet{all: make(map[ref.Val]bool)}
	for it := list.Iterator(); it.HasNext() == types.True; {
		e := it.Next()
		if !types.IsPrimitiveType(e) || e.Type() == types.BytesType {
			return nil
		}
		s.add(e)
	}
	for v := range s.all {
		if i, ok := v.(types.Int); ok {
			s.ints = append(s.ints, int64(i))
		}
	}
	slices.Sort(s.ints)
	return s
}

// add adds an element, and the equal numbers of other types.
func (s *knownSet) add(e ref.Val) {
	s.all[e] = true
	var others []ref.Type
	switch e := e.(type) {
	case types.String:
		s.texts = append(s.texts, string(e))
	case types.Double:
		others = []ref.Type{types.IntType, types.UintType}
	case types.Int:
		others = []ref.Type{types.DoubleType, types.UintType}
	case types.Uint:
		others = []ref.Type{types.DoubleType, types.IntType}
	}
	for _, t := range others {
		v := e.ConvertToType(t)
		_, isDouble := e.(types.Double)
		if !types.IsError(v) && (!isDouble || v.Equal(e) == types.True) {
			s.all[v] = true
		}
	}
}

func contains[T comparable](list []T, v T) bool {
	for _, e := range list {
		if e == v {
			return true
		}
	}
	return false
}
