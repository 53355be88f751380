package jsonval_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/jsonval"
)

func TestClone(t *testing.T) {
	in := map[string]any{"a": []any{int64(1), map[string]any{"b": nil}}, "c": map[string]any(nil), "d": []any(nil)}
	out := jsonval.Clone(in).(map[string]any)
	if diff := cmp.Diff(in, out); diff != "" {
		t.Errorf("Clone (-want +got):\n%s", diff)
	}
	out["a"].([]any)[1].(map[string]any)["b"] = "changed"
	if in["a"].([]any)[1].(map[string]any)["b"] != nil {
		t.Error("the copy shares memory with the original")
	}
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b any
		want bool
	}{
		{"integers", int64(1), int64(1), true},
		{"an integer and a float", int64(1), float64(1), false},
		{"nulls", nil, nil, true},
		{"null and false", nil, false, false},
		{"a missing key and a null", map[string]any{}, map[string]any{"a": nil}, false},
		{"other keys", map[string]any{"a": nil}, map[string]any{"b": nil}, false},
		{"order", []any{"a", "b"}, []any{"b", "a"}, false},
		{"length", []any{"a"}, []any{"a", "b"}, false},
		{"nil and empty", []any(nil), []any{}, false},
		{"types that JSON does not decode to", int32(1), int32(1), true},
	} {
		if got := jsonval.Equal(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: Equal = %t, want %t", tt.name, got, tt.want)
		}
	}
}

// FuzzEqual compares Equal with reflect.DeepEqual, and a value with its clone.
func FuzzEqual(f *testing.F) {
	f.Add([]byte(`{"a":[1,1.0,null]}`), []byte(`{"a":[1,1.0,null]}`))
	f.Add([]byte(`[]`), []byte(`{}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var v, w any
		if utiljson.Unmarshal(a, &v) != nil || utiljson.Unmarshal(b, &w) != nil {
			return
		}
		if got, want := jsonval.Equal(v, w), reflect.DeepEqual(v, w); got != want {
			t.Errorf("Equal = %t, want %t", got, want)
		}
		if !jsonval.Equal(v, jsonval.Clone(v)) {
			text, _ := json.Marshal(v)
			t.Errorf("%s differs from its clone", text)
		}
	})
}
