package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/schema"
)

func TestPathLookup(t *testing.T) {
	obj := map[string]any{"a": map[string]any{"": []any{"x", nil}}, "b": nil, "0": "zero"}
	a, empty, b := schema.Field("a"), schema.Key(""), schema.Field("b")
	for _, tt := range []struct {
		path  schema.Path
		want  any
		found bool
	}{
		{nil, obj, true},
		{schema.Path{a, empty, schema.Index(0)}, "x", true},
		{schema.Path{a, empty, schema.Index(1)}, nil, true},
		{schema.Path{a, empty, schema.Index(2)}, nil, false},
		{schema.Path{b}, nil, true},
		{schema.Path{b, a}, nil, false},
		{schema.Path{schema.Field("c")}, nil, false},
		{schema.Path{schema.Field("0"), schema.Index(0)}, nil, false},
	} {
		got, found := tt.path.Lookup(obj)
		if diff := cmp.Diff(tt.want, got); diff != "" || found != tt.found {
			t.Errorf("%v: found %v, want %v; value (-want +got):\n%s", tt.path, found, tt.found, diff)
		}
	}
}

func TestPath(t *testing.T) {
	for _, tt := range []struct {
		path          schema.Path
		text, pointer string
	}{
		{nil, "", ""},
		{schema.Path{schema.Field("spec"), schema.Field("list"), schema.Index(3), schema.Field("name")}, "spec.list[3].name", "/spec/list/3/name"},
		{schema.Path{schema.Field("spec"), schema.Key("a.b/c~d"), schema.Field("x")}, "spec[a.b/c~d].x", "/spec/a.b~1c~0d/x"},
		{schema.Path{schema.Key("k")}, "[k]", "/k"},
		{schema.Path{schema.Index(19), schema.Index(0)}, "[19][0]", "/19/0"},
	} {
		if got := tt.path.String(); got != tt.text {
			t.Errorf("String = %q, want %q", got, tt.text)
		}
		if got := tt.path.Pointer(); got != tt.pointer {
			t.Errorf("Pointer = %q, want %q", got, tt.pointer)
		}
	}
	if _, ok := schema.Index(1).Name(); ok {
		t.Error("an index has a name")
	}
	if i, ok := schema.Index(7).Index(); i != 7 || !ok {
		t.Errorf("Index = %d, %t", i, ok)
	}
}
