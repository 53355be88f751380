package schema_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/schema"
)

func TestRewriteDefaults(t *testing.T) {
	root := compile(t, `
type: object
properties:
  a: {type: string, default: x}
  b: {type: array, items: {type: object, properties: {c: {type: string, default: x}}}}
  d: {type: object, additionalProperties: {type: string, default: "y"}}
  e: {type: object, properties: {f: {type: string}}}
`)
	var paths []string
	same := root.RewriteDefaults(func(path schema.Path, def any) any {
		paths = append(paths, fmt.Sprintf("%s=%v", path, def))
		return def
	})
	if same != root {
		t.Error("RewriteDefaults made a new tree although nothing changed")
	}
	if diff := cmp.Diff([]string{"a=x", "b[0].c=x", "d[*]=y"}, paths); diff != "" {
		t.Errorf("locations (-want +got):\n%s", diff)
	}

	got := root.RewriteDefaults(func(path schema.Path, def any) any {
		switch path.String() {
		case "b[0].c":
			return "z"
		case "d[*]":
			return nil
		}
		return def
	})
	if def, _ := got.Property("b").Items().Property("c").Default(); def != "z" {
		t.Errorf("default = %v, want z", def)
	}
	if def, _ := got.Property("a").Default(); def != "x" {
		t.Errorf("default of an equal node elsewhere = %v, want x", def)
	}
	if got.Property("d").Facts().Has(schema.HasDefaults) {
		t.Error("a default that is gone is still a fact")
	}
	if got.Property("e") != root.Property("e") {
		t.Error("what did not change is not shared")
	}
	if def, _ := root.Property("b").Items().Property("c").Default(); def != "x" {
		t.Errorf("the old tree has the default %v, want x", def)
	}
}
