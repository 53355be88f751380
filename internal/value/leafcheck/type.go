package leafcheck

import (
	"math"
	"slices"
	"strings"
)

// A Type decides which kinds of values a schema admits. A schema has one type, no type, or
// integer and string (x-kubernetes-int-or-string). The format matters, too:
//
//   - A format without a numeric type admits all strings and all arrays.
//     So an array is a valid date-time.
//   - A format without a type refuses all other kinds.
//
// [Text] checks whether a string has the format.
type Type struct {
	Names    []string // declared types
	Format   string   // declared format, "" if the server does not check it
	Nullable bool
}

func (t *Type) Declared() bool { return len(t.Names) > 0 || t.Format != "" }

func (t *Type) Mask() Mask {
	var m Mask
	for kind := Null; kind <= Other; kind <<= 1 {
		if t.admits(kind) {
			m |= kind
		}
	}
	return m
}

func (t *Type) admits(kind Mask) bool {
	if !t.Declared() {
		return true
	}
	if kind == Null {
		return len(t.Names) == 0 || t.Nullable || t.has("null")
	}
	if t.Format != "" && kind&(String|Array) != 0 && !t.has("number") && !t.has("integer") {
		return true
	}
	name, _ := describe(kind)
	return t.has(name) && kind != Other || kind == Int && t.has("number") || kind == Whole && t.has("integer")
}

func (t *Type) has(name string) bool { return slices.Contains(t.Names, name) }

// Refusal returns the wanted type and the type of the refused kind, as the server spells them.
func (t *Type) Refusal(kind Mask) (want, got string) {
	name, format := describe(kind)
	if t.Format != "" && t.Format != format && kind&(Null|String|Array) == 0 {
		return t.Format, format
	}
	return strings.Join(t.Names, ","), name
}

// describe returns the type and the format that the server gives values of a kind.
func describe(kind Mask) (name, format string) {
	switch kind {
	case Null:
		return "null", ""
	case Bool:
		return "boolean", ""
	case Int:
		return "integer", "int64"
	case Whole, Fraction:
		return "number", "float64"
	case String:
		return "string", ""
	case Array:
		return "array", ""
	case Object:
		return "object", ""
	default:
		return "", ""
	}
}

type Mask uint16

const (
	Null Mask = 1 << iota
	Bool
	Int
	Whole    // float64 that counts as an integer, see IsWhole
	Fraction // any other float64
	String   // string
	Array    // []any
	Object   // map[string]any
	Other    // a Go type to which JSON is not decoded
)

const (
	Float = Whole | Fraction
	All   = Null | Bool | Int | Float | String | Array | Object | Other
)

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

// A float64 counts as an integer if it is at most maxWhole and within tolerance of the nearest
// integer.
const (
	maxWhole  = 1<<53 - 1
	tolerance = 1e-9
)

// IsWhole reports whether f counts as an integer. A rounding error is allowed, as in 1.0000000001.
func IsWhole(f float64) bool {
	if !(math.Abs(f) <= maxWhole) { // also for NaN
		return false
	}
	near := math.Round(f)
	return f == near || math.Abs(f-near) < tolerance*math.Abs(near)
}
