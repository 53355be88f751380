package jsondiff_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

var cases = []struct{ name, before, after, want string }{
	{"equal", `{"a":[1,{"b":null}]}`, `{"a":[1,{"b":null}]}`, ``},
	{"a field is gone", `{"a":1,"b":{"c":2}}`, `{"a":1}`, `removed b`},
	{"a null is gone", `{"a":null}`, `{}`, `removed a`},
	{"a field is new", `{}`, `{"z":1,"a":[]}`, `added a,added z`},
	{"another value", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `replaced a.b`},
	{"another kind of number", `{"a":1}`, `{"a":1.0}`, `replaced a`},
	{"another kind of value", `{"a":{"b":1}}`, `{"a":[1]}`, `replaced a`},
	{"null", `{"a":{"b":1}}`, `{"a":null}`, `replaced a`},
	{"a shorter list", `{"a":[1,2,3]}`, `{"a":[1]}`, `removed a[1],removed a[2]`},
	{"a longer list", `{"a":[]}`, `{"a":[1]}`, `added a[0]`},
	{"deep in a list", `{"a":[0,{"b":[true]}]}`, `{"a":[0,{"b":[false]}]}`, `replaced a[1].b[0]`},
	{"empty and none", `{"a":[]}`, `{}`, `removed a`},
	{"several", `{"a":1,"c":{"d":1,"e":2}}`, `{"b":1,"c":{"d":2}}`, `removed a,added b,replaced c.d,removed c.e`},
}

func text(diffs []jsondiff.Difference) string {
	var lines []string
	for _, d := range diffs {
		lines = append(lines, fmt.Sprint([]string{"removed", "added", "replaced"}[d.Kind], " ", d.Path))
	}
	return strings.Join(lines, ",")
}

func TestOf(t *testing.T) {
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			before, err := testkit.DecodeJSON([]byte(tt.before))
			if err != nil {
				t.Fatal(err)
			}
			after, err := testkit.DecodeJSON([]byte(tt.after))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, text(jsondiff.Of(before, after))); diff != "" {
				t.Errorf("Of (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRoot(t *testing.T) {
	got := jsondiff.Of("a", math.Inf(1))
	if len(got) != 1 || got[0].Path.String() != "" || got[0].Kind != jsondiff.Replaced {
		t.Errorf("Of = %v, want the root replaced", got)
	}
}

// FuzzOf checks that Of returns differences exactly if the values differ, and that
// undoing the differences restores the first value.
func FuzzOf(f *testing.F) {
	for _, tt := range cases {
		f.Add(tt.before, tt.after)
	}
	fuzz.Run(f, func(t *testing.T, beforeText, afterText string) {
		before, err := testkit.DecodeJSON([]byte(beforeText))
		if err != nil {
			return
		}
		after, err := testkit.DecodeJSON([]byte(afterText))
		if err != nil {
			return
		}
		diffs := jsondiff.Of(before, after)
		if got, want := len(diffs) == 0, jsonval.Equal(before, after); got != want {
			t.Fatalf("%d differences, but equal is %t", len(diffs), want)
		}
		undone := jsonval.Clone(after)
		for i := len(diffs) - 1; i >= 0; i-- {
			undone = undo(undone, diffs[i], 0)
		}
		if diff := fuzz.Diff(before, undone); diff != "" {
			t.Errorf("after undoing %s (-want +got):\n%s", text(diffs), diff)
		}
	})
}

// undo reverts d in v, in place where possible, and returns the result. depth is
// the number of steps of d.Path that lead to v. The caller undoes the last
// difference first, so that lists shrink from their ends.
func undo(v any, d jsondiff.Difference, depth int) any {
	if depth == len(d.Path) {
		return d.Before
	}
	last := depth == len(d.Path)-1
	if name, ok := d.Path[depth].Name(); ok {
		m := v.(map[string]any)
		if last && d.Kind == jsondiff.Added {
			delete(m, name)
		} else {
			m[name] = undo(m[name], d, depth+1)
		}
		return m
	}
	i, _ := d.Path[depth].Index()
	list := v.([]any)
	switch {
	case last && d.Kind == jsondiff.Added:
		return list[:i]
	case last && d.Kind == jsondiff.Removed:
		for len(list) <= i { // elements before it come back later
			list = append(list, nil)
		}
		list[i] = d.Before
		return list
	}
	list[i] = undo(list[i], d, depth+1)
	return list
}
