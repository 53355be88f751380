package celeval

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// equal compiles == and !=. They cost a tenth of the smaller size, rounded up. Numbers have size 1.
func (x *compiler) equal(a, b operand, not bool) operand {
	cost := costs(a, b, 1)
	var out operand
	switch {
	case a.kind() == kindString && b.kind() == kindString:
		out = stringTest(a, b, func(a, b string) bool { return a == b }, smaller)
	case a.isIntOrString() && b.constant != nil && (b.kind() == kindString || b.kind() == kindInt):
		out = x.equalIntOrString(a, b)
	case b.isIntOrString() && a.constant != nil && (a.kind() == kindString || a.kind() == kindInt):
		out = x.equalIntOrString(b, a)
	case a.kind() != b.kind():
		out = x.equalBoxed(a, b, not)
	case a.kind() == kindInt, a.kind() == kindDuration:
		out = compareInts(cost, a, b, func(a, b int64) bool { return a == b })
	case a.kind() == kindBool:
		out = comparison(cost, a, b, func(a, b bool) bool { return a == b })
	case a.kind() == kindDouble:
		out = comparison(cost, a, b, func(a, b float64) bool { return a == b })
	case a.kind() == kindTimestamp:
		out = comparison(cost, a, b, time.Time.Equal)
	case a.kind() == kindQuantity && !b.summed:
		out = comparison(cost, a, b, func(q, p resource.Quantity) bool { return q.Cmp(p) == 0 })
	case a.kind() == kindRaw && a.declared == b.declared && a.declared.Comparable():
		out = x.equalRaw(a, b)
	default:
		out = x.equalBoxed(a, b, not)
	}
	if is := closureOf[bool](out); not {
		out.value = as(kindBool, func(f *Frame) bool { return !is(f) })
	}
	return out
}

// equalBoxed compares boxed values. For the server's types, != costs more than ==.
func (x *compiler) equalBoxed(a, b operand, not bool) operand {
	left, right := argument{box: x.boxed(a)}, argument{box: x.boxed(b)}
	test := functionOf(operators.Equals, overloads.Equals)
	if not {
		test = functionOf(operators.NotEquals, overloads.NotEquals)
	}
	return operand{cost: costs(a, b, 0), value: as(kindBool, func(f *Frame) bool {
		v, err, ok := left.eval(f)
		if !ok {
			return false
		}
		w, errRight, ok := right.eval(f)
		if !ok {
			return false
		}
		f.pay(test.cost(nil, v, w))
		if err == nil {
			err = errRight
		}
		switch {
		case err != nil:
			f.fail(err)
			return false
		case !f.visit(true, []ref.Val{v, w}):
			return false
		}
		is, ok := types.Equal(v, w).(types.Bool)
		if !ok {
			f.decline()
		}
		return bool(is)
	})}
}

// Comparisons of raw values. They decline values that do not match their declared type.

func (x *compiler) equalRaw(a, b operand) operand {
	s := a.declared
	return operand{cost: costs(a, b, 0), value: as(kindBool, func(f *Frame) bool {
		v, w, left, right, ok := both(f, a.raw, b.raw)
		if !ok {
			return false
		}
		if left != nil || right != nil {
			if left == nil && !s.Fits(v) || right == nil && !s.Fits(w) {
				f.decline()
				return false
			}
			f.pay(tenthOf(min(sizeOrOne(v, left), sizeOrOne(w, right))))
			f.failEither(left, right)
			return false
		}
		f.pay(tenthOf(min(celvalue.SizeOf(v), celvalue.SizeOf(w))))
		if f.failed {
			return false
		}
		eq, ok := s.Same(v, w)
		if !ok {
			f.decline()
		}
		return eq
	})}
}

// sizeOrOne returns the size of v, 1 for a number. If v failed, it returns the size of an error.
func sizeOrOne(v any, failed *EvalError) int {
	if failed != nil {
		return len(errorText)
	}
	return celvalue.SizeOf(v)
}

func (o operand) isIntOrString() bool {
	return o.kind() == kindRaw && o.declared.Kind == celvalue.KindIntOrString
}

func (x *compiler) equalIntOrString(a, b operand) operand {
	raw := a.raw
	text, isText := b.constant.(types.String)
	number, _ := b.constant.(types.Int)
	size := 1
	if isText {
		size = utf8.RuneCountInString(string(text))
	}
	failed := tenthOf(min(size, 1))
	return operand{cost: costs(a, b, 0), value: as(kindBool, func(f *Frame) bool {
		switch v := raw(f).(type) {
		case string:
			f.pay(tenthOf(min(size, utf8.RuneCountInString(v))))
			return isText && v == string(text)
		case int64:
			f.pay(tenthOf(min(size, 1)))
			return !isText && v == int64(number)
		}
		f.wrongType()
		f.pay(failed)
		return false
	})}
}

// in compiles the operator in. It costs the size of the list, or nothing if the list is a constant
// list of primitives.
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
			f.wrongType()
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

func inSet[T comparable](v operand, list []T) func(*Frame) bool {
	of := closureOf[T](v)
	return func(f *Frame) bool { return contains(list, of(f)) }
}

// A knownSet has the elements of a constant list of primitives.
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

// add adds an element. For a number, it also adds the equal numbers of other types.
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
