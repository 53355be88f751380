package celeval

import (
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// equal compiles == and !=. They cost a tenth of the smaller size; a value
// without a size counts as one.
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

// equalBoxed compiles a comparison of boxed values. For values of libraries !=
// costs more than ==.
func (x *compiler) equalBoxed(a, b operand, not bool) operand {
	left, right := argument{box: x.boxed(a)}, argument{box: x.boxed(b)}
	test := functionOf(operators.Equals, overloads.Equals)
	if not {
		test = functionOf(operators.NotEquals, overloads.NotEquals)
	}
	return operand{cost: costs(a, b, 0), value: as(kindBool, func(f *Frame) bool {
		v, what, ok := left.eval(f)
		if !ok {
			return false
		}
		w, whatRight, ok := right.eval(f)
		if !ok {
			return false
		}
		f.pay(test.cost(nil, v, w))
		if what == nil {
			what = whatRight
		}
		switch {
		case what != nil:
			f.fail(what)
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

// This file compiles comparisons of raw values. It declines values that do not
// fit their declared type.

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

// sizeOrOne returns the size of a value, and that of an error if it failed.
func sizeOrOne(v any, failed *EvalError) int {
	if failed != nil {
		return len(errorText)
	}
	return celvalue.SizeOf(v)
}

func (o operand) isIntOrString() bool {
	return o.kind() == kindRaw && o.declared.Kind == celvalue.KindIntOrString
}

// equalIntOrString compiles a comparison with a constant string or integer.
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
		f.unfit()
		f.pay(failed)
		return false
	})}
}
