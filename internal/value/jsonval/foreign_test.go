package jsonval

import "testing"

func TestForeign(t *testing.T) {
	decoded := map[string]any{"a": []any{nil, true, int64(1), 1.5, "x", map[string]any{}}}
	if path, value, found := Foreign(decoded); found {
		t.Errorf("%s is %v of a decoded object", path, value)
	}
	for want, v := range map[string]any{
		"a":         map[string]any{"a": 1, "b": 2},
		"a.b":       map[string]any{"a": map[string]any{"b": []string{}}},
		"a[1]":      map[string]any{"a": []any{nil, int32(1)}},
		"a[0][0].b": map[string]any{"a": []any{[]any{map[string]any{"b": uint8(1)}}}},
	} {
		if path, _, found := Foreign(v); !found || path != want {
			t.Errorf("the path is %q, %v; want %q", path, found, want)
		}
	}
}
