package cellib

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

var errNoInteger = errors.New("cannot convert value to integer")

func quantities() cel.EnvOption {
	t := apiservercel.QuantityType
	compare := func(q, p *resource.Quantity) int { return q.Cmp(*p) }
	return newLibrary("kubernetes.quantity", slices.Concat(
		comparisons("quantity", t, compare),
		arithmetic("add", (*resource.Quantity).Add),
		arithmetic("sub", (*resource.Quantity).Sub),
		[]cel.EnvOption{
			define("quantity", ofString("string_to_quantity", t)),
			define("isQuantity", ofString("is_quantity_string", cel.BoolType)),
			// sign is a function, the others are methods.
			define("sign", declare("quantity_sign", cel.IntType, t).function(unary(signOf))),
			define("asApproximateFloat", declare("quantity_get_float", cel.DoubleType, t).method(unary(doubleOf))),
			define("asInteger", declare("quantity_get_int", cel.IntType, t).method(unary(integerOf))),
			define("isInteger", declare("quantity_is_integer", cel.BoolType, t).method(test(isInteger))),
		})...)
}

// arithmetic declares an operation whose right operand is a quantity or an integer.
//
// The operation returns a *Quantity; other quantities are Quantity. Rules can observe this: == with
// a result on the right fails, and a search for a result finds nothing.
func arithmetic(name string, apply func(*resource.Quantity, resource.Quantity)) []cel.EnvOption {
	t := apiservercel.QuantityType
	result := func(q *resource.Quantity, p resource.Quantity) ref.Val {
		sum := q.DeepCopy()
		apply(&sum, p)
		return &apiservercel.Quantity{Quantity: &sum}
	}
	return []cel.EnvOption{define(name,
		declare("quantity_"+name, t, t, t).method(binary(func(q, p *resource.Quantity) ref.Val { return result(q, *p) })),
		declare("quantity_"+name+"_int", t, t, cel.IntType).method(binary(func(q *resource.Quantity, i int64) ref.Val {
			return result(q, *resource.NewQuantity(i, resource.DecimalExponent))
		})))}
}

// maxExponent bounds the exponent of a quantity. The server's time grows with the exponent:
// "-3e2447483643" takes minutes.
const maxExponent = 10_000

// ParseQuantity parses a quantity as the server does, but refuses large exponents.
func ParseQuantity(s string) (resource.Quantity, error) {
	if i := max(strings.LastIndexByte(s, 'e'), strings.LastIndexByte(s, 'E')); i >= 0 && i+1 < len(s) {
		// The server keeps the lower 32 bits of an exponent.
		if exponent, err := strconv.ParseInt(s[i+1:], 10, 64); err == nil && abs(int32(exponent)) > maxExponent {
			return resource.Quantity{}, fmt.Errorf("exponent %d of a quantity is not between -%d and %d", exponent, maxExponent, maxExponent)
		}
	}
	return resource.ParseQuantity(s)
}

func abs(i int32) int64 { return max(int64(i), -int64(i)) }

func toQuantity(s string) ref.Val {
	q, err := ParseQuantity(s)
	if err != nil {
		return types.WrapErr(err)
	}
	return apiservercel.Quantity{Quantity: &q}
}

func isQuantity(s string) bool {
	_, err := ParseQuantity(s)
	return err == nil
}

func signOf(q *resource.Quantity) ref.Val { return types.Int(q.Sign()) }

func doubleOf(q *resource.Quantity) ref.Val { return types.Double(q.AsApproximateFloat64()) }

func isInteger(q *resource.Quantity) bool {
	_, ok := q.AsInt64()
	return ok
}

func integerOf(q *resource.Quantity) ref.Val {
	i, ok := q.AsInt64()
	if !ok {
		return types.WrapErr(errNoInteger)
	}
	return types.Int(i)
}
