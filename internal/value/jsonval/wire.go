package jsonval

import (
	"math"
	"strconv"
)

// Wire returns v as it is after encoding to JSON and decoding: a float64 without
// fraction becomes an int64 if the integer fits, because its text has no decimal
// point. Wire changes maps and lists in place. The result is v itself, except
// if v is a float64.
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

// integer returns the int64 that a decoder reads from the JSON text of v. It
// reports false if the decoder reads a float64.
func integer(v float64) (int64, bool) {
	const exact = 1 << 53 // up to here, the text of an integral float is exact
	switch {
	case v != math.Trunc(v) || math.Abs(v) > -math.MinInt64:
		return 0, false
	case math.Abs(v) <= exact:
		return int64(v), true
	}
	n, err := strconv.ParseInt(strconv.FormatFloat(v, 'f', -1, 64), 10, 64)
	return n, err == nil
}

// IsWired reports whether [Wire] leaves v unchanged. It reports false for a value that
// is nested deeper than [MaxDepth], which must not be given to Wire.
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
