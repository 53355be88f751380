package jsonval

import (
	"math"
	"strconv"
)

// Wire makes v what it is once it has been written as JSON and read again: a
// float64 without fraction becomes an int64 if its digits fit, since it is
// written without a point. It changes maps and lists in place and returns v, which is
// another value only if v itself is a number.
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

// integer returns the integer that v is written as in JSON, and reports whether
// there is one.
func integer(v float64) (int64, bool) {
	const exact = 1 << 53 // up to here, all digits of an integer count
	switch {
	case v != math.Trunc(v) || math.Abs(v) > -math.MinInt64:
		return 0, false
	case math.Abs(v) <= exact:
		return int64(v), true
	}
	n, err := strconv.ParseInt(strconv.FormatFloat(v, 'f', -1, 64), 10, 64)
	return n, err == nil
}

// IsWired reports whether [Wire] leaves v as it is.
func IsWired(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			if !IsWired(child) {
				return false
			}
		}
	case []any:
		for _, child := range v {
			if !IsWired(child) {
				return false
			}
		}
	case float64:
		_, ok := integer(v)
		return !ok
	}
	return true
}
