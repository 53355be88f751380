package crdversion

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// definition has a version v1 with this schema, after one without a schema.
func definition(t *testing.T, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), props); err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v0"}, {Name: "v1", Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: props}},
	}
	return crd
}

// TestDefaults checks the default of a field a as the server applies it, and as
// it is in a definition that preserves unknown fields.
func TestDefaults(t *testing.T) {
	for schema, want := range map[string][2]string{
		`{type: object, properties: {b: {type: string}}, default: {b: x, c: 1}}`:                             {`{"b":"x"}`, `{"b":"x","c":1}`},
		`{type: array, items: {type: object, properties: {b: {type: string}}}, default: [{b: x, c: 1}, {}]}`: {`[{"b":"x"},{}]`, `[{"b":"x","c":1},{}]`},
		`{type: object, additionalProperties: {type: object}, default: {b: {c: 1}}}`:                         {`{"b":{}}`, `{"b":{"c":1}}`},
		`{type: object, x-kubernetes-preserve-unknown-fields: true, default: {b: 1}}`:                        {`{"b":1}`, `{"b":1}`},
		`{type: object, default: {}}`:                       {`{}`, `{}`},
		`{type: array, items: {type: string}, default: []}`: {`[]`, `[]`},
		`{type: string, default: x}`:                        {`"x"`, `"x"`},
		`{type: object, x-kubernetes-embedded-resource: true, properties: {kind: {type: string}}, default: {kind: K, metadata: {name: x, other: 1}}}`: {`{"kind":"K","metadata":{"name":"x"}}`, `{"kind":"K","metadata":{"name":"x","other":1}}`},
	} {
		crd := definition(t, `{type: object, properties: {a: `+schema+`}}`)
		for i, preserve := range []bool{false, true} {
			crd.Spec.PreserveUnknownFields = preserve
			n, errs := Compile(crd, 1)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			def, _ := n.Property("a").Default()
			got, err := json.Marshal(def)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want[i], string(got)); diff != "" {
				t.Errorf("%s: preserve %v (-want +got):\n%s", schema, preserve, diff)
			}
		}
	}
	items := definition(t, `{type: object, properties: {l: {type: array, items: {type: object, properties: {b: {type: string}}, default: {b: x, c: 1}}}}}`)
	n, errs := Compile(items, 1)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	def, _ := n.Property("l").Items().Default()
	if diff := cmp.Diff(any(map[string]any{"b": "x"}), def); diff != "" {
		t.Errorf("default of elements (-want +got):\n%s", diff)
	}
}

// TestCompile checks that a version may have no schema, and that only a
// definition that preserves unknown fields may have a nonstructural schema.
func TestCompile(t *testing.T) {
	crd := definition(t, `{properties: {a: {}}}`)
	if n, errs := Compile(crd, 0); n != nil || errs != nil {
		t.Errorf("without a schema: %v, %v", n, errs)
	}
	n, errs := Compile(crd, 1)
	if n != nil || len(errs) == 0 {
		t.Fatalf("not structural: %v, %v", n, errs)
	}
	if got, want := errs[0].Field, "spec.versions[1].schema.openAPIV3Schema.properties[a].type"; got != want {
		t.Errorf("the first error is at %s, want %s", got, want)
	}
	crd.Spec.PreserveUnknownFields = true
	if n, errs := Compile(crd, 1); n == nil || errs != nil {
		t.Errorf("not structural, but preserving: %v, %v", n, errs)
	}
}

func TestFind(t *testing.T) {
	crd := definition(t, `{}`)
	if got := Storage(crd); got != &crd.Spec.Versions[1] {
		t.Errorf("Storage = %v", got)
	}
	if got := ByName(crd)["v0"]; got != &crd.Spec.Versions[0] {
		t.Errorf("ByName = %v", got)
	}
	if ByName(crd)["v2"] != nil || ByName(nil) != nil || Storage(nil) != nil || Storage(&apiextensionsv1.CustomResourceDefinition{}) != nil {
		t.Error("found what there is not")
	}
}
