package celeval

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// unbox adds the closure that reads a boxed result as the type that the checker
// found. A type whose values may be null stays boxed.
func (x *compiler) unbox(t *types.Type, c operand) operand {
	if c.typ == nil {
		c.typ = t
	}
	if isNullable(t) {
		return c
	}
	switch box := c.box; t.Kind() {
	case types.BoolKind:
		c.value = as(kindBool, unboxed(box, func(v ref.Val) (bool, bool) { b, ok := v.(types.Bool); return bool(b), ok }))
	case types.IntKind:
		c.value = as(kindInt, unboxed(box, func(v ref.Val) (int64, bool) { i, ok := v.(types.Int); return int64(i), ok }))
	case types.DoubleKind:
		c.value = as(kindDouble, unboxed(box, func(v ref.Val) (float64, bool) { d, ok := v.(types.Double); return float64(d), ok }))
	case types.StringKind:
		c.value = as(kindString, unboxed(box, func(v ref.Val) (string, bool) { s, ok := v.(types.String); return string(s), ok }))
	}
	return c
}

// isNullable reports whether a type is that of a wrapper message, which null is a
// value of.
func isNullable(t *types.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.StringKind, types.BytesKind:
		return t.IsAssignableType(types.NullType)
	}
	return false
}

// unboxed returns a closure that reads a value of CEL. It declines values of other
// types.
func unboxed[T any](box func(*Frame) ref.Val, read func(ref.Val) (T, bool)) func(*Frame) T {
	return func(f *Frame) T {
		v, ok := read(box(f))
		if !ok && !f.failed {
			f.decline()
		}
		return v
	}
}

// checked returns v, and declines the evaluation if v is an error.
func (f *Frame) checked(v ref.Val) ref.Val {
	if v == nil || types.IsUnknownOrError(v) {
		f.decline()
		return types.NullValue
	}
	return v
}
