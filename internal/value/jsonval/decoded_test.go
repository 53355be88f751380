package jsonval_test

import (
	"encoding/json"
	"testing"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

func TestIsDecoded(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    any
		want bool
	}{
		{"null", nil, true},
		{"scalars", []any{true, int64(1), 1.5, "a", nil}, true},
		{"maps", map[string]any{"a": map[string]any{"b": []any{}}}, true},
		{"map of a scalar", map[string]any{"a": int64(1)}, true},
		{"list of a scalar", []any{int64(1)}, true},
		{"map of an int", map[string]any{"a": 1}, false},
		{"list of an int", []any{1}, false},
		{"nil map", map[string]any(nil), true},
		{"int", 1, false},
		{"in a map", map[string]any{"a": map[string]any{"b": int32(1)}}, false},
		{"in a list", []any{"a", []any{json.Number("1")}}, false},
		{"list of strings", []string{}, false},
		{"map of strings", map[string]string{}, false},
		{"float32", float32(1), false},
		{"pointer", new(int64), false},
	} {
		if got := jsonval.IsDecoded(tt.v); got != tt.want {
			t.Errorf("%s: IsDecoded = %t, want %t", tt.name, got, tt.want)
		}
	}
}
