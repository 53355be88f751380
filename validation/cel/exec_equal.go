package cel

import (
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
)

// equal compiles == and !=. It costs a tenth of the smaller size, and what has
// no size counts for one.
func (x *executor) equal(a, b code, not bool) code {
	cost := costs(a, b, 1)
	var out code
	switch {
	case a.kind == kindString && b.kind == kindString:
		out = equalStrings(a, b)
	case a.isIntOrString() && b.constant != nil && (b.kind == kindString || b.kind == kindInt):
		out = equalIntOrString(a, b)
	case b.isIntOrString() && a.constant != nil && (a.kind == kindString || a.kind == kindInt):
		out = equalIntOrString(b, a)
	case a.kind != b.kind:
		out = x.equalBoxed(a, b)
	case a.kind == kindInt, a.kind == kindDuration:
		l, r := a.int, b.int
		out = code{cost: cost, bool: func(f *frame) bool { return l(f) == r(f) }}
	case a.kind == kindBool:
		l, r := a.bool, b.bool
		out = code{cost: cost, bool: func(f *frame) bool {
			v := l(f)
			return v == r(f)
		}}
	case a.kind == kindDouble:
		out = comparison(cost, a.double, b.double, func(a, b float64) bool { return a == b })
	case a.kind == kindTimestamp:
		out = comparison(cost, (func(*frame) time.Time)(a.time), (func(*frame) time.Time)(b.time), time.Time.Equal)
	case a.kind == kindRaw && a.shape == b.shape && a.shape.comparable():
		out = equalRaw(a, b)
	default:
		out = x.equalBoxed(a, b)
	}
	out.kind = kindBool
	if is := out.bool; not {
		out.bool = func(f *frame) bool { return !is(f) }
	}
	return out
}

func equalStrings(a, b code) code {
	if _, ok := a.constant.(types.String); ok {
		a, b = b, a
	}
	out := code{cost: costs(a, b, 0)}
	l, r := a.string, b.string
	text, ok := b.constant.(types.String)
	if !ok {
		out.bool = func(f *frame) bool {
			v := l(f)
			w := r(f)
			f.cost += tenth(min(utf8.RuneCountInString(v), utf8.RuneCountInString(w)))
			return v == w
		}
		return out
	}
	known := string(text)
	switch n := utf8.RuneCountInString(known); {
	case n == 0:
		out.bool = func(f *frame) bool { return l(f) == "" }
	case n <= 10: // every size from 1 to 10 costs one unit
		out.bool = func(f *frame) bool {
			v := l(f)
			if v != "" {
				f.cost++
			}
			return v == known
		}
	default:
		out.bool = func(f *frame) bool {
			v := l(f)
			f.cost += tenth(min(utf8.RuneCountInString(v), n))
			return v == known
		}
	}
	return out
}

// equalBoxed leaves the comparison to the values of cel-go.
func (x *executor) equalBoxed(a, b code) code {
	l, r := x.boxed(a), x.boxed(b)
	return code{cost: costs(a, b, 0), bool: func(f *frame) bool {
		v := l(f)
		w := r(f)
		if f.bail {
			return false
		}
		eq := types.Equal(v, w)
		is, ok := eq.(types.Bool)
		if !ok {
			f.bail = true
			return false
		}
		f.cost += callCost(operators.Equals, "equals", eq, v, w)
		return bool(is)
	}}
}
