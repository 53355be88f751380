// Package jsonval works on decoded JSON values: nil, bool, int64, float64,
// string, []any and map[string]any.
package jsonval

import "reflect"

// Clone returns a deep copy of v. It does not copy scalars and values of types
// that a JSON decoder does not return.
func Clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = Clone(e)
		}
		return m
	case []any:
		if v == nil {
			return v
		}
		s := make([]any, len(v))
		for i, e := range v {
			s[i] = Clone(e)
		}
		return s
	default:
		return v
	}
}

// Equal reports whether a and b have the same type and the same content. As for
// reflect.DeepEqual, int64(1) differs from float64(1), and a nil map or list
// differs from an empty one. NaN differs from every value, itself included.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		for i, v := range a {
			if !Equal(v, b[i]) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && a == b
	case int64:
		b, ok := b.(int64)
		return ok && a == b
	case float64:
		b, ok := b.(float64)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case nil:
		return b == nil
	default:
		return reflect.DeepEqual(a, b)
	}
}
