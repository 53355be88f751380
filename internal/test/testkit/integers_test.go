package testkit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

func TestIntegers(t *testing.T) {
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.Unmarshal([]byte(`
properties:
  i: {type: integer}
  n: {type: number}
  list: {items: {type: integer}}
  port: {x-kubernetes-int-or-string: true}
  map: {additionalProperties: {properties: {i: {type: integer}}}}
`), props); err != nil {
		t.Fatal(err)
	}
	obj := map[string]any{
		"i": 3.0, "n": 3.0, "list": []any{1.0, 1.5, "a"}, "port": 8.0,
		"map": map[string]any{"a": map[string]any{"i": -4.0, "b": 4.0}}, "other": []any{5.0},
	}
	want := map[string]any{
		"i": int64(3), "n": 3.0, "list": []any{int64(1), 1.5, "a"}, "port": int64(8),
		"map": map[string]any{"a": map[string]any{"i": int64(-4), "b": 4.0}}, "other": []any{5.0},
	}
	if diff := cmp.Diff(want, Integers(props, obj)); diff != "" {
		t.Errorf("Integers (-want +got):\n%s", diff)
	}
}
