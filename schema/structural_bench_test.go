package schema

import (
	"encoding/json"
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// BenchmarkStructural checks a generated schema of some thousand nodes, the
// largest of the corpus if there is one, and a schema with an error in every
// field.
func BenchmarkStructural(b *testing.B) {
	b.Run("schema=generated", func(b *testing.B) { benchmarkStructural(b, wideSchema("string", 4), 0) })
	b.Run("schema=errors", func(b *testing.B) { benchmarkStructural(b, wideSchema("", 2), 64) })
	b.Run("schema=largest", func(b *testing.B) { benchmarkStructural(b, largestSchema(b), 0) })
}

func benchmarkStructural(b *testing.B, props *apiextensionsv1.JSONSchemaProps, errors int) {
	path := field.NewPath("spec", "validation", "openAPIV3Schema")
	b.ReportAllocs()
	for b.Loop() {
		if text := unsupported(props); text != "" {
			b.Fatal(text)
		}
		if errs := checkStructural(props, path); len(errs) != errors {
			b.Fatalf("%d errors, want %d", len(errs), errors)
		}
	}
}

// wideSchema returns an object schema with depth levels of eight fields each,
// and with leaves of this type.
func wideSchema(leaf string, depth int) *apiextensionsv1.JSONSchemaProps {
	if depth == 0 {
		return &apiextensionsv1.JSONSchemaProps{Type: leaf, Description: "a leaf", Pattern: "^[a-z]([-a-z0-9]*[a-z0-9])?$"}
	}
	props := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for i := range 8 {
		props.Properties[fmt.Sprintf("field%d", i)] = *wideSchema(leaf, depth-1)
	}
	return props
}

func largestSchema(b *testing.B) *apiextensionsv1.JSONSchemaProps {
	var largest *apiextensionsv1.JSONSchemaProps
	size := 0
	for _, d := range testkit.FindCorpus(b).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
				continue
			}
			data, err := json.Marshal(v.Schema.OpenAPIV3Schema)
			if err != nil {
				b.Fatal(err)
			}
			if len(data) > size {
				largest, size = v.Schema.OpenAPIV3Schema, len(data)
			}
		}
	}
	return largest
}
