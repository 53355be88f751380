package jsonval_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/value/jsonval"
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

// TestEqual compares each pair of values with package reflect.
func TestEqual(t *testing.T) {
	values := []any{
		nil, true, false, int64(0), int64(1), 0.0, 1.0, math.NaN(), "", "a", 0, 1, int32(1), []string{"a"}, []string(nil),
		[]any(nil), []any{}, []any{nil}, []any{int64(1)}, []any{1.0}, []any{"a"}, []any{"a", "b"}, []any{"b", "a"}, []any{[]any{}},
		map[string]any(nil), map[string]any{}, map[string]any{"a": nil}, map[string]any{"b": nil}, map[string]any{"a": int64(1)}, map[string]any{"a": int64(1), "b": nil},
	}
	for _, a := range values {
		for _, b := range values {
			if got, want := jsonval.Equal(a, jsonval.Clone(b)), reflect.DeepEqual(a, b); got != want {
				t.Errorf("Equal(%#v, %#v) = %t", a, b, got)
			}
		}
	}
}

// FuzzEqual compares Equal with reflect.DeepEqual, and a value with its clone.
func FuzzEqual(f *testing.F) {
	f.Add([]byte(`{"a":[1,1.0,null]}`), []byte(`{"a":[1,1.0,null]}`))
	f.Add([]byte(`[]`), []byte(`{}`))
	fuzz.Run(f, func(t *testing.T, a, b []byte) {
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

// TestDepthIsOfNestingOnly tests that values side by side do not count as nested ones.
func TestDepthIsOfNestingOnly(t *testing.T) {
	lists, objects := make([]any, 2*jsonval.MaxDepth), make([]any, 2*jsonval.MaxDepth)
	for i := range lists {
		lists[i], objects[i] = []any{}, map[string]any{}
	}
	for name, v := range map[string]any{"lists": lists, "objects": objects} {
		if !jsonval.Equal(v, jsonval.Clone(v)) {
			t.Errorf("%s: the value differs from its clone", name)
		}
		if !jsonval.IsWired(v) {
			t.Errorf("%s: IsWired is false", name)
		}
	}
}

func TestIsWiredEndsAtMaxDepth(t *testing.T) {
	wrap := map[string]func(v any) any{
		"lists":   func(v any) any { return []any{v} },
		"objects": func(v any) any { return map[string]any{"a": v} },
	}
	for name, wrap := range wrap {
		var v any = "leaf"
		for range jsonval.MaxDepth {
			v = wrap(v)
		}
		if !jsonval.IsWired(v) {
			t.Errorf("%d %s: IsWired is false", jsonval.MaxDepth, name)
		}
		if jsonval.IsWired(wrap(v)) {
			t.Errorf("%d %s: IsWired is true", jsonval.MaxDepth+1, name)
		}
	}
}

func TestComparingEndsAtMaxDepth(t *testing.T) {
	nested := func(depth int) any {
		var v any = "leaf"
		for range depth {
			v = []any{v}
		}
		return v
	}
	a, b := nested(jsonval.MaxDepth), nested(jsonval.MaxDepth)
	if jsonval.TooDeep(a) {
		t.Errorf("%d lists: TooDeep is true", jsonval.MaxDepth)
	}
	if !jsonval.Equal(a, b) {
		t.Errorf("%d lists: the values differ", jsonval.MaxDepth)
	}
	if !jsonval.TooDeep([]any{a}) {
		t.Errorf("%d lists: TooDeep is false", jsonval.MaxDepth+1)
	}
}
