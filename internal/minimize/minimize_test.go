package minimize_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/minimize"
	"github.com/crdkit/crdkit/internal/testkit"
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

func TestObjectKeepsTheProperty(t *testing.T) {
	for _, tt := range []struct{ name, needs, want string }{
		{"nothing", ``, `{"apiVersion":"example.com/v1","kind":"K"}`},
		{"a scalar", `"e":"y"`, `{"apiVersion":"example.com/v1","e":"y","kind":"K"}`},
		{"a value in a list", `"c":"x"`, `{"a":{"b":[{"c":"x"}]},"apiVersion":"example.com/v1","kind":"K"}`},
		{"an element", `2`, `{"a":{"b":[2]},"apiVersion":"example.com/v1","kind":"K"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			obj := decode(t, object)
			got := minimize.Object(context.Background(), obj, itself, func(candidate map[string]any) (map[string]any, bool) {
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

// TestObjectContinuesWithTheAnswer adds a default to each candidate, as a server does.
func TestObjectContinuesWithTheAnswer(t *testing.T) {
	got := minimize.Object(context.Background(), decode(t, `{"a":{"x":1,"y":2},"b":3}`), itself, func(candidate map[string]any) (map[string]any, bool) {
		candidate["b"] = int64(3)
		return candidate, true
	})
	if diff := cmp.Diff(decode(t, `{"b":3}`), got); diff != "" {
		t.Error(diff)
	}
}

func TestObjectEnds(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		max  int
	}{
		{"with the context", ended, 0},
		{"after the most steps", context.Background(), minimize.MaxSteps},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := make([]any, 2*minimize.MaxSteps)
			tries := 0
			minimize.Object(tt.ctx, map[string]any{"list": list}, itself, func(map[string]any) (map[string]any, bool) {
				tries++
				return nil, false
			})
			if tries != tt.max {
				t.Errorf("%d candidates, want %d", tries, tt.max)
			}
		})
	}
}
