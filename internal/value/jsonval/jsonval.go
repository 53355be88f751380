// Package jsonval works on decoded JSON values: nil, bool, int64, float64,
// string, []any and map[string]any.
package jsonval

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// MaxDepth is the deepest nesting that the server's decoders allow. Functions stop there, because a
// deeper value may be a cycle.
const MaxDepth = 10_000

// ErrDepth reports a value that is nested deeper than [MaxDepth].
var ErrDepth = fmt.Errorf("values are nested more than %d levels deep", MaxDepth)

// IsContainer reports whether v is a map or a list.
func IsContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// TooDeep reports whether v is nested deeper than [MaxDepth].
func TooDeep(v any) bool { return !every(v, 0, func(any) bool { return true }) }

// IsDecoded reports whether v has only types that a JSON decoder returns: map[string]any, []any,
// string, int64, float64, bool and nil. It returns false if v is [TooDeep].
func IsDecoded(v any) bool { return every(v, 0, isScalar) }

func isScalar(v any) bool {
	switch v.(type) {
	case nil, bool, int64, float64, string:
		return true
	}
	return false
}

// every reports whether f is true for all values in v except maps and lists. It returns false if v
// is [TooDeep].
func every(v any, depth int, f func(any) bool) bool {
	if depth > MaxDepth {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			if !every(e, depth+1, f) {
				return false
			}
		}
		return true
	case []any:
		for _, e := range v {
			if !every(e, depth+1, f) {
				return false
			}
		}
		return true
	}
	return f(v)
}

// Clone returns a deep copy: it copies maps and lists, and keeps all other values. If v is
// [TooDeep], Clone returns v itself, and [CloneWithin] an error.
func Clone(v any) any {
	if c, ok := clone(v, 0); ok {
		return c
	}
	return v
}

// CloneWithin is [Clone], but returns [ErrDepth] for a value that is nested too deeply.
func CloneWithin(v any) (any, error) {
	if c, ok := clone(v, 0); ok {
		return c, nil
	}
	return nil, ErrDepth
}

func clone(v any, depth int) (_ any, ok bool) {
	if depth > MaxDepth {
		return nil, false
	}
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v, true
		}
		m := make(map[string]any, len(v))
		for k, e := range v {
			if m[k], ok = clone(e, depth+1); !ok {
				return nil, false
			}
		}
		return m, true
	case []any:
		if v == nil {
			return v, true
		}
		s := make([]any, len(v))
		for i, e := range v {
			if s[i], ok = clone(e, depth+1); !ok {
				return nil, false
			}
		}
		return s, true
	default:
		return v, true
	}
}

// Equal reports whether a and b have the same type and content, like reflect.DeepEqual. int64(1)
// and float64(1) differ, nil and empty differ, and NaN differs from itself. Values nested deeper
// than [MaxDepth] differ. [EqualWithin] returns an error for them.
func Equal(a, b any) bool {
	same, err := EqualWithin(a, b)
	return same && err == nil
}

// EqualWithin is [Equal], but returns [ErrDepth] for values that are equal down to [MaxDepth] and
// nested deeper.
func EqualWithin(a, b any) (bool, error) {
	var err error
	return equal(a, b, 0, &err), err
}

// equal sets err if a value is nested too deeply.
func equal(a, b any, depth int, err *error) bool {
	if depth > MaxDepth {
		*err = ErrDepth
		return false
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) || (a == nil) != (b == nil) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !equal(v, w, depth+1, err) {
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
			if !equal(v, b[i], depth+1, err) {
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

// Wire returns v as if it had been encoded and decoded: a float64 without a fraction becomes an
// int64 if it fits. Maps and lists change in place.
func Wire(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			switch child := child.(type) {
			case map[string]any, []any:
				Wire(child)
			case float64:
				v[name] = Wire(child)
			}
		}
	case []any:
		for i, child := range v {
			v[i] = Wire(child)
		}
	case float64:
		if n, ok := integer(v); ok {
			return n
		}
	}
	return v
}

// integer returns the int64 that a decoder reads for v. It returns false if the decoder reads a
// float64.
func integer(v float64) (int64, bool) {
	const exact = 1 << 53 // a larger float may be unequal to the integer in its text
	switch {
	case v != math.Trunc(v) || math.Abs(v) > -math.MinInt64:
		return 0, false
	case math.Abs(v) <= exact:
		return int64(v), true
	}
	n, err := strconv.ParseInt(strconv.FormatFloat(v, 'f', -1, 64), 10, 64)
	return n, err == nil
}

// IsWired reports whether [Wire] would change nothing. If v is [TooDeep], it returns false, and
// Wire must not be called.
func IsWired(v any) bool {
	return every(v, 0, func(v any) bool {
		f, isFloat := v.(float64)
		if !isFloat {
			return true
		}
		_, changes := integer(f)
		return !changes
	})
}

// GoTypes is a text about the types that objects may have.
const GoTypes = "objects have the types that JSON is decoded to: map[string]any, []any, string, int64, float64, bool and nil"

// Foreign finds the first value, in order of names, whose type a JSON decoder does not return. path
// is its field path. v must not be [TooDeep].
func Foreign(v any) (path string, value any, found bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if path, value, found := Foreign(v[name]); found {
				return below(name, path), value, true
			}
		}
	case []any:
		for i, element := range v {
			if path, value, found := Foreign(element); found {
				return below("["+strconv.Itoa(i)+"]", path), value, true
			}
		}
	default:
		return "", v, !isScalar(v)
	}
	return "", nil, false
}

func below(step, path string) string {
	if path == "" || strings.HasPrefix(path, "[") {
		return step + path
	}
	return step + "." + path
}
