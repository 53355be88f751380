package cel

import (
	"math"
	"time"

	"github.com/google/cel-go/common/overloads"
)

// Numbers and times. Each operation costs one unit. What overflows fails.

func comparison[T any](cost uint64, a, b func(*frame) T, is func(a, b T) bool) code {
	return code{kind: kindBool, cost: cost, bool: func(f *frame) bool {
		l := a(f)
		return is(l, b(f))
	}}
}

func binaryInt(overload string, a, b code) code {
	cost, l, r := costs(a, b, 1), a.int, b.int
	switch overload {
	case overloads.LessInt64:
		return code{kind: kindBool, cost: cost, bool: func(f *frame) bool { return l(f) < r(f) }}
	case overloads.LessEqualsInt64:
		return code{kind: kindBool, cost: cost, bool: func(f *frame) bool { return l(f) <= r(f) }}
	case overloads.GreaterInt64:
		return code{kind: kindBool, cost: cost, bool: func(f *frame) bool { return l(f) > r(f) }}
	case overloads.GreaterEqualsInt64:
		return code{kind: kindBool, cost: cost, bool: func(f *frame) bool { return l(f) >= r(f) }}
	case overloads.AddInt64:
		return arithmetic(cost, l, r, addInt)
	case overloads.SubtractInt64:
		return arithmetic(cost, l, r, subtractInt)
	case overloads.MultiplyInt64:
		return arithmetic(cost, l, r, multiplyInt)
	case overloads.DivideInt64:
		return arithmetic(cost, l, r, func(a, b int64) (int64, bool) {
			if b == 0 || a == math.MinInt64 && b == -1 {
				return 0, false
			}
			return a / b, true
		})
	case overloads.ModuloInt64:
		return arithmetic(cost, l, r, func(a, b int64) (int64, bool) {
			if b == 0 || a == math.MinInt64 && b == -1 {
				return 0, false
			}
			return a % b, true
		})
	}
	return code{}
}

func arithmetic(cost uint64, a, b func(*frame) int64, op func(a, b int64) (int64, bool)) code {
	return code{kind: kindInt, cost: cost, int: func(f *frame) int64 {
		l := a(f)
		v, ok := op(l, b(f))
		if !ok {
			f.bail = true
		}
		return v
	}}
}

func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func subtractInt(a, b int64) (int64, bool) {
	c := a - b
	return c, (c < a) == (b > 0)
}

func multiplyInt(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	c := a * b
	return c, c/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}

func negateInt(a code) code {
	i := a.int
	return code{kind: kindInt, cost: a.cost + 1, int: func(f *frame) int64 {
		v := i(f)
		if v == math.MinInt64 {
			f.bail = true
		}
		return -v
	}}
}

func binaryDouble(overload string, a, b code) code {
	cost, l, r := costs(a, b, 1), a.double, b.double
	result := func(op func(a, b float64) float64) code {
		return code{kind: kindDouble, cost: cost, double: func(f *frame) float64 {
			v := l(f)
			return op(v, r(f))
		}}
	}
	switch overload {
	case overloads.LessDouble:
		return order(cost, l, r, func(a, b float64) bool { return a < b })
	case overloads.LessEqualsDouble:
		return order(cost, l, r, func(a, b float64) bool { return a <= b })
	case overloads.GreaterDouble:
		return order(cost, l, r, func(a, b float64) bool { return a > b })
	case overloads.GreaterEqualsDouble:
		return order(cost, l, r, func(a, b float64) bool { return a >= b })
	case overloads.AddDouble:
		return result(func(a, b float64) float64 { return a + b })
	case overloads.SubtractDouble:
		return result(func(a, b float64) float64 { return a - b })
	case overloads.MultiplyDouble:
		return result(func(a, b float64) float64 { return a * b })
	case overloads.DivideDouble:
		return result(func(a, b float64) float64 { return a / b })
	}
	return code{}
}

// order compares doubles. What is not a number has no place in the order.
func order(cost uint64, a, b func(*frame) float64, is func(a, b float64) bool) code {
	return code{kind: kindBool, cost: cost, bool: func(f *frame) bool {
		l := a(f)
		r := b(f)
		if l != l || r != r {
			f.bail = true
		}
		return is(l, r)
	}}
}

func binaryDuration(overload string, a, b code) code {
	cost, l, r := costs(a, b, 1), a.int, b.int
	switch overload {
	case overloads.LessDuration:
		return comparison(cost, l, r, func(a, b int64) bool { return a < b })
	case overloads.LessEqualsDuration:
		return comparison(cost, l, r, func(a, b int64) bool { return a <= b })
	case overloads.GreaterDuration:
		return comparison(cost, l, r, func(a, b int64) bool { return a > b })
	case overloads.GreaterEqualsDuration:
		return comparison(cost, l, r, func(a, b int64) bool { return a >= b })
	}
	return code{}
}

func binaryTime(overload string, a, b code) code {
	cost, l, r := costs(a, b, 1), (func(*frame) time.Time)(a.time), (func(*frame) time.Time)(b.time)
	switch overload {
	case overloads.LessTimestamp:
		return comparison(cost, l, r, time.Time.Before)
	case overloads.LessEqualsTimestamp:
		return comparison(cost, l, r, func(a, b time.Time) bool { return !b.Before(a) })
	case overloads.GreaterTimestamp:
		return comparison(cost, l, r, time.Time.After)
	case overloads.GreaterEqualsTimestamp:
		return comparison(cost, l, r, func(a, b time.Time) bool { return !a.Before(b) })
	}
	return code{}
}
