package celeval

import (
	"unicode/utf8"

	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/crdkit/crdkit/internal/cel/cellib"
)

// This file compiles functions of quantities, the library values that rules use most. A
// quantity stays a Go value while only the next call reads it, and is boxed elsewhere.

// quantityCall compiles a call of a function by its overload. It returns an operand
// without kind for other calls.
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

// parsedQuantity compiles quantity. A constant quantity is parsed once.
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
	if b.kind() == kindInt {
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
