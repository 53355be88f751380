package oracle_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/serving/openapi"
)

// createdByBoth creates an object of a kind with the given schema on both sides.
func createdByBoth(t *testing.T, root string, body upstream.Body) (upstream.Outcome, *crdkit.Result) {
	t.Helper()
	crd := openAPIDefinition(decodeProps(t, []byte(root)))
	def, err := upstream.Serve(crd)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	opts := []crdkit.JSONOption{crdkit.Ignore}
	if body.YAML {
		opts = append(opts, crdkit.YAML())
	}
	_, result, err := compiled.Storage().CreateJSON(t.Context(), body.Data, opts...)
	if err != nil {
		t.Fatal(err)
	}
	body.Fields = "Ignore"
	return def.Version("v1").Create(body), result
}

const widgetHead = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"b"},`

// TestDifferenceExponent is about cel/quantity_exponent, with an exponent for which
// upstream needs little time.
func TestDifferenceExponent(t *testing.T) {
	theirs, ours := createdByBoth(t, `{"type":"object","properties":{"q":{"type":"string"}},"x-kubernetes-validations":[{"rule":"isQuantity(self.q)"}]}`,
		upstream.Body{Data: []byte(widgetHead + `"q":"1e10001"}`)})
	if len(theirs.Errors) > 0 || theirs.Refusal != "" || len(ours.Errors) != 1 {
		t.Errorf("upstream: %v, want success; ours: %v, want an error", theirs, ours.Err())
	}
}

// TestDifferenceAliases is about yaml/aliases.
func TestDifferenceAliases(t *testing.T) {
	text := "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, namespace: b, annotations: {a: &long " +
		strings.Repeat("x", 9_000) + "}}\nlist: [" + strings.Repeat("*long, ", 1000) + "]\n"
	theirs, ours := createdByBoth(t, `{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}}}}`,
		upstream.Body{Data: []byte(text), YAML: true})
	if len(theirs.Errors) > 0 || theirs.Refusal != "" || ours.Refusal == nil || !strings.Contains(ours.Refusal.Message, "aliases") {
		t.Errorf("upstream: %v, want success; ours: %v, want a refusal", theirs, ours.Err())
	}
}

// nestedItems is the text of a schema of n schemas, each but the last a list of the next.
func nestedItems(n int) string {
	return strings.Repeat(`{"type":"array","items":`, n-1) + `{"type":"string"}` + strings.Repeat("}", n-1)
}

// TestDifferenceNesting is about definition/nesting.
func TestDifferenceNesting(t *testing.T) {
	text := []byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":` +
		nestedItems(definition.DefaultMaxNesting) + `}}]}}`)
	if err := json.Unmarshal(text, &apiextensionsv1.CustomResourceDefinition{}); err != nil {
		t.Errorf("upstream: %v, want success", err)
	}
	if _, err := definition.Parse(text); err == nil {
		t.Error("Parse returns no error")
	}
}

// TestDifferenceBounds is about schema/bounds.
func TestDifferenceBounds(t *testing.T) {
	props := &apiextensionsv1.JSONSchemaProps{Type: "string"}
	for range schema.DefaultMaxDepth {
		props = &apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: props}}
	}
	props = &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": *props}}
	if errs := upstream.StructuralErrors(props, nil); len(errs) > 0 {
		t.Errorf("upstream: %v, want success", errs)
	}
	if _, errs := schema.Compile(props); len(errs) != 1 {
		t.Errorf("ours: %v, want an error", errs)
	}
}

// TestDifferenceOpenAPIConflicts is about openapi/conflicts.
func TestDifferenceOpenAPIConflicts(t *testing.T) {
	first, second := openAPIDefinition(decodeProps(t, []byte(`{"type":"object"}`))), openAPIDefinition(decodeProps(t, []byte(`{"type":"object"}`)))
	second.Name = "gadgets.example.com"
	named("Widget", "gadgets")(second)
	if _, err := builder.MergeSpecs(&spec.Swagger{}, upstreamV2(t, first, "v1"), upstreamV2(t, second, "v1")); err != nil {
		t.Errorf("upstream, version 2: %v, want success", err)
	}
	if _, err := openapi.V2([]*definitionV1{first, second}); err == nil {
		t.Error("V2 returns no error")
	}
}
