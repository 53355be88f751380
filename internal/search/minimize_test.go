package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

const object = `{"apiVersion":"example.com/v1","kind":"K","a":{"b":[1,2,{"c":"x"}],"d":true},"e":"y"}`

func itself(obj map[string]any) map[string]any { return obj }

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	obj, err := testkit.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

func TestMinimizeKeepsTheProperty(t *testing.T) {
	for _, tt := range []struct{ name, needs, want string }{
		{"nothing", ``, `{"apiVersion":"example.com/v1","kind":"K"}`},
		{"a scalar", `"e":"y"`, `{"apiVersion":"example.com/v1","e":"y","kind":"K"}`},
		{"a value in a list", `"c":"x"`, `{"a":{"b":[{"c":"x"}]},"apiVersion":"example.com/v1","kind":"K"}`},
		{"an element", `2`, `{"a":{"b":[2]},"apiVersion":"example.com/v1","kind":"K"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			obj := decode(t, object)
			got := search.Minimize(context.Background(), obj, itself, func(candidate map[string]any) (map[string]any, bool) {
				return candidate, strings.Contains(string(testkit.Encode(candidate)), tt.needs)
			})
			if diff := cmp.Diff(decode(t, tt.want), got); diff != "" {
				t.Errorf("smallest object (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(decode(t, object), obj); diff != "" {
				t.Errorf("the input changed:\n%s", diff)
			}
		})
	}
}

// TestMinimizeContinuesWithTheAnswer adds a default to each candidate, as a server does.
func TestMinimizeContinuesWithTheAnswer(t *testing.T) {
	tries := 0
	got := search.Minimize(context.Background(), decode(t, `{"a":{"x":1,"y":2},"b":3}`), itself, func(candidate map[string]any) (map[string]any, bool) {
		tries++
		candidate["b"] = int64(3)
		return candidate, true
	})
	if diff := cmp.Diff(decode(t, `{"b":3}`), got); diff != "" {
		t.Error(diff)
	}
	if tries > 5 {
		t.Errorf("%d candidates, want no more than 5: an answer of the same size is no progress", tries)
	}
}

func TestParts(t *testing.T) {
	var got []string
	obj := decode(t, `{"apiVersion":"v1","kind":"K","a":{"kind":"x","apiVersion":{"c":[[1,2],3]}},"b":[{"d":1},2],"c":0,"d":0,"e":0,"f":0}`)
	for _, part := range search.Parts(obj) {
		got = append(got, part.String())
	}
	want := []string{
		"a", "b", "c", "d", "e", "f",
		"a.apiVersion", "a.kind", "a.apiVersion.c", "a.apiVersion.c[1]", "a.apiVersion.c[0]", "a.apiVersion.c[0][1]", "a.apiVersion.c[0][0]",
		"b[1]", "b[0]", "b[0].d",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRemove(t *testing.T) {
	const text = `{"apiVersion":"v1","kind":"K","a":{"b":{"c":1}},"l":[[1,2],[3]]}`
	want := map[string]string{
		"a": `{"apiVersion":"v1","kind":"K","l":[[1,2],[3]]}`, "a.b": `{"apiVersion":"v1","kind":"K","a":{},"l":[[1,2],[3]]}`,
		"a.b.c": `{"apiVersion":"v1","kind":"K","a":{"b":{}},"l":[[1,2],[3]]}`,
		"l":     `{"apiVersion":"v1","kind":"K","a":{"b":{"c":1}}}`, "l[0]": `{"apiVersion":"v1","kind":"K","a":{"b":{"c":1}},"l":[[3]]}`,
		"l[1]": `{"apiVersion":"v1","kind":"K","a":{"b":{"c":1}},"l":[[1,2]]}`, "l[0][0]": `{"apiVersion":"v1","kind":"K","a":{"b":{"c":1}},"l":[[2],[3]]}`,
		"l[0][1]": `{"apiVersion":"v1","kind":"K","a":{"b":{"c":1}},"l":[[1],[3]]}`, "l[1][0]": `{"apiVersion":"v1","kind":"K","a":{"b":{"c":1}},"l":[[1,2],[]]}`,
	}
	got := map[string]string{}
	for _, part := range search.Parts(decode(t, text)) {
		obj := decode(t, text)
		search.Remove(obj, part)
		got[part.String()] = string(testkit.Encode(obj))
	}
	for name, text := range want {
		want[name] = string(testkit.Encode(decode(t, text)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMinimizeEnds(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		max  int
	}{
		{"with the context", ended, 0},
		{"after the most steps", context.Background(), search.MaxRemovals},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := make([]any, 2*search.MaxRemovals)
			tries := 0
			search.Minimize(tt.ctx, map[string]any{"list": list}, itself, func(map[string]any) (map[string]any, bool) {
				tries++
				return nil, false
			})
			if tries != tt.max {
				t.Errorf("%d candidates, want %d", tries, tt.max)
			}
		})
	}
}
