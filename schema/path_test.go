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
