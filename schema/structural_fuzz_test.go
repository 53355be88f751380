package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// FuzzStructural checks properties of any schema that decodes: the result is
// repeatable, the schema does not change, errors are sorted, another base path
// gives the same errors, and the first unsupported keyword is that of a simple
// search in order. internal/oracle compares the errors with the server.
func FuzzStructural(f *testing.F) {
	for _, data := range structuralSchemas(f) {
		f.Add(data)
	}
	fuzz.Run(f, func(t *testing.T, data []byte) {
		props := &apiextensionsv1.JSONSchemaProps{}
		if len(data) > 1<<14 || json.Unmarshal(data, props) != nil {
			return
		}
		before := props.DeepCopy()
		if got, want := unsupported(props), firstUnsupported(props); got != want {
			t.Errorf("unsupported() = %q, want %q", got, want)
		}
		errs := checkStructural(props, field.NewPath("x", "y"))
		texts := errorTexts(errs)
		if !slices.IsSorted(texts) {
			t.Errorf("checkStructural() is not in order: %q", texts)
		}
		if diff := fuzz.Diff(errs, checkStructural(props, field.NewPath("x", "y"))); diff != "" {
			t.Errorf("checkStructural() differs the second time (-first +second):\n%s", diff)
		}
		if got := len(checkStructural(props, nil)); got != len(errs) {
			t.Errorf("checkStructural() has %d errors without a path, and %d with", got, len(errs))
		}
		for _, err := range errs {
			if !strings.HasPrefix(err.Field, "x.y.") {
				t.Errorf("field %q is not below the path", err.Field)
			}
		}
		if diff := fuzz.Diff(before, props); diff != "" {
			t.Errorf("checkStructural() changed the schema (-before +after):\n%s", diff)
		}
	})
}

func errorTexts(errs field.ErrorList) []string {
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return texts
}

// firstUnsupported is a simple implementation of unsupported: it returns the
// first text of all, in order.
func firstUnsupported(props *apiextensionsv1.JSONSchemaProps) string {
	all := allUnsupported(props, nil)
	if len(all) == 0 {
		return ""
	}
	return all[0]
}

func allUnsupported(props *apiextensionsv1.JSONSchemaProps, found []string) []string {
	if props == nil {
		return found
	}
	if text := unsupportedKeyword(props, false); text != "" {
		found = append(found, text)
	}
	found = allUnsupported(props.Not, found)
	for _, nested := range slices.Concat(props.AllOf, props.AnyOf, props.OneOf) {
		found = allUnsupported(&nested, found)
	}
	if props.XPreserveUnknownFields != nil && !*props.XPreserveUnknownFields {
		found = append(found, "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined")
	}
	if props.Items != nil {
		if len(props.Items.JSONSchemas) > 0 {
			found = append(found, "OpenAPIV3Schema 'items' must be a schema, but is an array")
		}
		found = allUnsupported(props.Items.Schema, found)
	}
	for _, name := range slices.Sorted(maps.Keys(props.Properties)) {
		property := props.Properties[name]
		found = allUnsupported(&property, found)
	}
	if props.AdditionalProperties != nil {
		found = allUnsupported(props.AdditionalProperties.Schema, found)
	}
	return found
}
