package celeval

import (
	"cmp"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// Arithmetic and comparisons of numbers and times cost one unit. Integer overflow fails.

// order returns the comparison of an operator, nil for other operators.
func order[T cmp.Ordered](operator string) func(a, b T) bool {
	switch operator {
	case operators.Less:
		return func(a, b T) bool { return a < b }
	case operators.LessEquals:
		return func(a, b T) bool { return a <= b }
	case operators.Greater:
		return func(a, b T) bool { return a > b }
	case operators.GreaterEquals:
		return func(a, b T) bool { return a >= b }
	}
	return nil
}

// comparison compiles a comparison of two operands of one type. It evaluates both.
func comparison[T any](cost uint64, a, b operand, is func(a, b T) bool) operand {
	return operand{cost: cost, value: operation(a.value, b.value, kindBool, is)}
}

// operation returns the value of an operator that fails only if an operand fails.
func operation[T, R any](a, b value, is kind, op func(T, T) R) value {
	l, r := a.(*closure[T]).run, b.(*closure[T]).run
	return as(is, func(f *Frame) (none R) {
		v := l(f)
		if f.failed {
			evalRight(f, r)
			return none
		}
		return op(v, r(f))
	})
}

func binaryInt(name, overload string, a, b operand) operand {
	cost, l, r := costs(a, b, 1), closureOf[int64](a), closureOf[int64](b)
	if is := order[int64](name); is != nil {
		return compareInts(cost, a, b, is)
	}
	switch overload {
	case overloads.AddInt64:
		return arithmetic(kindInt, cost, l, r, addInt)
	case overloads.SubtractInt64:
		return arithmetic(kindInt, cost, l, r, subtractInt)
	case overloads.MultiplyInt64:
		return arithmetic(kindInt, cost, l, r, multiplyInt)
	case overloads.DivideInt64:
		return arithmetic(kindInt, cost, l, r, divideInt)
	case overloads.ModuloInt64:
		return arithmetic(kindInt, cost, l, r, moduloInt)
	}
	return operand{}
}

func compareInts(cost uint64, a, b operand, is func(a, b int64) bool) operand {
	known, ok := b.constant.(types.Int)
	if !ok {
		return comparison(cost, a, b, is)
	}
	l, w := closureOf[int64](a), int64(known)
	return operand{cost: cost, value: as(kindBool, func(f *Frame) bool { return is(l(f), w) })}
}

func arithmetic[T, R any](is kind, cost uint64, a, b func(*Frame) T, op func(a, b T) (R, *EvalError)) operand {
	return operand{cost: cost, value: as(is, func(f *Frame) (none R) {
		v := a(f)
		if f.failed {
			evalRight(f, b)
			return none
		}
		u, err := op(v, b(f))
		if err != nil {
			f.fail(err)
		}
		return u
	})}
}

func addInt(a, b int64) (int64, *EvalError) {
	c := a + b
	if (c > a) != (b > 0) {
		return 0, overflow
	}
	return c, nil
}

func subtractInt(a, b int64) (int64, *EvalError) {
	c := a - b
	if (c < a) != (b > 0) {
		return 0, overflow
	}
	return c, nil
}

func multiplyInt(a, b int64) (int64, *EvalError) {
	if a == 0 || b == 0 {
		return 0, nil
	}
	c := a * b
	if c/b != a || a == -1 && b == math.MinInt64 || b == -1 && a == math.MinInt64 {
		return 0, overflow
	}
	return c, nil
}

func divideInt(a, b int64) (int64, *EvalError) {
	switch {
	case b == 0:
		return 0, divisionByZero
	case a == math.MinInt64 && b == -1:
		return 0, overflow
	}
	return a / b, nil
}

func moduloInt(a, b int64) (int64, *EvalError) {
	switch {
	case b == 0:
		return 0, modulusByZero
	case a == math.MinInt64 && b == -1:
		return 0, overflow
	}
	return a % b, nil
}

func (x *compiler) negateInt(a operand) operand {
	i := closureOf[int64](a)
	return operand{cost: a.cost + 1, value: as(kindInt, func(f *Frame) int64 {
		v := i(f)
		if v == math.MinInt64 {
			f.fail(overflow)
		}
		return -v
	})}
}

func binaryDouble(name, overload string, a, b operand) operand {
	cost, l, r := costs(a, b, 1), closureOf[float64](a), closureOf[float64](b)
	if is := order[float64](name); is != nil {
		return arithmetic(kindBool, cost, l, r, func(a, b float64) (bool, *EvalError) {
			if a != a || b != b {
				return false, unordered
			}
			return is(a, b), nil
		})
	}
	switch overload {
	case overloads.AddDouble:
		return arithmetic(kindDouble, cost, l, r, func(a, b float64) (float64, *EvalError) { return a + b, nil })
	case overloads.SubtractDouble:
		return arithmetic(kindDouble, cost, l, r, func(a, b float64) (float64, *EvalError) { return a - b, nil })
	case overloads.MultiplyDouble:
		return arithmetic(kindDouble, cost, l, r, func(a, b float64) (float64, *EvalError) { return a * b, nil })
	case overloads.DivideDouble:
		return arithmetic(kindDouble, cost, l, r, func(a, b float64) (float64, *EvalError) { return a / b, nil })
	}
	return operand{}
}

// binaryTime compiles comparisons of durations and timestamps.
func binaryTime(name string, a, b operand) operand {
	is := order[int64](name)
	switch {
	case is == nil:
		return operand{}
	case a.kind() == kindDuration:
		return comparison(costs(a, b, 1), a, b, is)
	}
	return comparison(costs(a, b, 1), a, b, func(a, b time.Time) bool { return is(int64(a.Compare(b)), 0) })
}

// sumOfInts compiles the sum of a list of integers. It costs one unit for each element.
func sumOfInts(a operand) operand {
	list := a.elements()
	return operand{cost: a.cost, value: as(kindInt, func(f *Frame) (total int64) {
		l := list(f)
		if f.failed {
			f.pay(1)
			return 0
		}
		f.pay(uint64(len(l)))
		for _, e := range l {
			i, ok := e.(int64)
			if !ok {
				f.decline()
			}
			var err *EvalError
			if total, err = addInt(total, i); err != nil {
				f.fail(err)
			}
		}
		return total
	})}
}

// A quantity stays a Go value if only the next call reads it.

// quantityCall compiles a call by its overload. For other calls, the result is of kindNone.
func (x *compiler) quantityCall(overload string, args []operand) operand {
	switch {
	case len(args) == 1 && args[0].kind() == kindString:
		return x.parsedQuantity(overload, args[0])
	case len(args) == 1 && args[0].kind() == kindQuantity:
		return x.partOfQuantity(overload, args[0])
	case len(args) == 2 && args[0].kind() == kindQuantity:
		return x.quantities(overload, args[0], args[1])
	}
	return operand{}
}

// parsedQuantity compiles quantity(). A constant quantity is parsed once.
func (x *compiler) parsedQuantity(overload string, a operand) operand {
	out := operand{cost: a.cost}
	if overload != "string_to_quantity" {
		return out
	}
	price := cellib.PriceOf("quantity", overload)
	out.value = as(kindQuantity, parsing(a, price, func(f *Frame, s string) resource.Quantity {
		q, err := cellib.ParseQuantity(s)
		if err != nil {
			f.fail(&EvalError{text: err.Error()})
		}
		return q
	}))
	if text, ok := a.constant.(types.String); ok {
		if known, err := cellib.ParseQuantity(string(text)); err == nil {
			out.cost += price.SizeCost(uint64(utf8.RuneCountInString(string(text))))
			out.value = as(kindQuantity, func(*Frame) resource.Quantity { return known })
		}
	}
	return out
}

func (x *compiler) partOfQuantity(overload string, a operand) operand {
	q, out := closureOf[resource.Quantity](a), operand{cost: a.cost + 1}
	switch overload {
	case "quantity_sign":
		out.value = as(kindInt, func(f *Frame) int64 { v := q(f); return int64(v.Sign()) })
	case "quantity_get_float":
		out.value = as(kindDouble, func(f *Frame) float64 { v := q(f); return v.AsApproximateFloat64() })
	case "quantity_is_integer":
		out.value = as(kindBool, func(f *Frame) bool { v := q(f); _, ok := v.AsInt64(); return ok })
	}
	return out
}

// quantities compiles functions of two quantities, or of a quantity and an integer.
func (x *compiler) quantities(overload string, a, b operand) operand {
	cost := costs(a, b, 1)
	if b.kind() == kindInt && strings.HasSuffix(overload, "_int") {
		i := closureOf[int64](b)
		b.value = as(kindQuantity, func(f *Frame) resource.Quantity { return *resource.NewQuantity(i(f), resource.DecimalExponent) })
	}
	if b.kind() != kindQuantity {
		return operand{}
	}
	switch overload {
	case "quantity_is_greater_than":
		return comparison(cost, a, b, func(q, p resource.Quantity) bool { return q.Cmp(p) > 0 })
	case "quantity_is_less_than":
		return comparison(cost, a, b, func(q, p resource.Quantity) bool { return q.Cmp(p) < 0 })
	case "quantity_compare_to":
		return operand{cost: cost, value: operation(a.value, b.value, kindInt, func(q, p resource.Quantity) int64 { return int64(q.Cmp(p)) })}
	}
	subtract := overload == "quantity_sub" || overload == "quantity_sub_int"
	if !subtract && overload != "quantity_add" && overload != "quantity_add_int" {
		return operand{}
	}
	return operand{cost: cost, summed: true, value: operation(a.value, b.value, kindQuantity, func(q, p resource.Quantity) resource.Quantity {
		sum := q.DeepCopy()
		if subtract {
			sum.Sub(p)
		} else {
			sum.Add(p)
		}
		return sum
	})}
}
