package leafcheck

import "math"

// A Mask is a set of kinds of values.
type Mask uint16

const (
	Null     Mask = 1 << iota // nil
	Bool                      // bool
	Int                       // int64
	Whole                     // float64 that counts as an integer, see IsWhole
	Fraction                  // any other float64
	String                    // string
	Array                     // []any
	Object                    // map[string]any
	Other                     // a Go type that JSON does not decode to
)

const (
	// Float has the kinds of float64 values.
	Float = Whole | Fraction
	// All has all kinds.
	All = Null | Bool | Int | Float | String | Array | Object | Other
)

// MaskOf returns the kind of v.
func MaskOf(v any) Mask {
	switch v := v.(type) {
	case nil:
		return Null
	case bool:
		return Bool
	case int64:
		return Int
	case float64:
		if IsWhole(v) {
			return Whole
		}
		return Fraction
	case string:
		return String
	case []any:
		return Array
	case map[string]any:
		return Object
	default:
		return Other
	}
}

// A float64 counts as an integer if its absolute value is at most maxWhole and
// the relative distance to the nearest integer is less than tolerance.
const (
	maxWhole  = 1<<53 - 1
	tolerance = 1e-9
)

// IsWhole reports whether f counts as an integer for types and multiples. It
// tolerates rounding errors, as in 1.0000000001.
func IsWhole(f float64) bool {
	if !(math.Abs(f) <= maxWhole) { // true for NaN too
		return false
	}
	near := math.Round(f)
	return f == near || math.Abs(f-near) < tolerance*math.Abs(near)
}
