package testkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// DecodeJSON decodes one value from JSON. It keeps 1.0 and 1e3 distinct from 1
// and 1000, which [Decode] does not.
func DecodeJSON(data []byte) (any, error) {
	var v any
	if err := utiljson.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return v, nil
}

// Encode writes v as compact JSON with sorted keys. A float64 always has a
// fraction or an exponent, so that decoding returns the same value. It panics
// on a value that no decoder returns, because that is a mistake in a test.
func Encode(v any) []byte {
	return appendValue(nil, v)
}

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return appendFloat(b, v)
	case string:
		return appendString(b, v)
	case []any:
		return appendSlice(b, v)
	case map[string]any:
		return appendMap(b, v)
	}
	panic(fmt.Sprintf("testkit: a decoded object cannot hold a %T", v))
}

func appendFloat(b []byte, f float64) []byte {
	start := len(b)
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	for _, c := range b[start:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
}

func appendString(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("testkit: " + err.Error())
	}
	return append(b, quoted...)
}

func appendSlice(b []byte, items []any) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, item)
	}
	return append(b, ']')
}

func appendMap(b []byte, m map[string]any) []byte {
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, key), ':')
		b = appendValue(b, m[key])
	}
	return append(b, '}')
}

// Clone returns a deep copy of a decoded object.
func Clone(obj map[string]any) map[string]any {
	if obj == nil {
		return nil
	}
	return cloneValue(obj).(map[string]any)
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = cloneValue(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = cloneValue(value)
		}
		return out
	}
	return v
}
