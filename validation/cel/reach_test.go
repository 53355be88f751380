package cel_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// TestReading says how much of each field a rule looks at, and of the elements
// of fields in brackets.
func TestReading(t *testing.T) {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	element := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": text, "other": text}}
	few := int64(3)
	for rule, want := range map[string]map[string]cel.Reach{
		"self.text == 'a'":                   {"text": cel.Everything},
		"has(self.text)":                     {"text": cel.Presence},
		"size(self.list) > 0":                {"list": cel.Contents},
		"'a' in self.map":                    {"map": cel.Contents},
		"self.list.all(e, e.name != '')":     {"list": cel.Contents, "list[]": cel.Presence, "list[].name": cel.Everything},
		"self.list == self.list":             {"list": cel.Everything},
		"self.map.all(k, self.map[k] != '')": {"map": cel.Contents, "map[]": cel.Everything},
	} {
		n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
			Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"text": text,
				"list": {Type: "array", MaxItems: &few, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &element}},
				"map":  {Type: "object", MaxProperties: &few, AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &text}},
			},
			XValidations: apiextensionsv1.ValidationRules{{Rule: rule}},
		})
		if errs != nil {
			t.Fatal(errs)
		}
		program, problems := cel.Compile(n)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		got := map[string]cel.Reach{}
		reaches("", program.Reading(n), got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

// reaches adds what is read below a value at a path.
func reaches(path string, of *cel.Reading, to map[string]cel.Reach) {
	for name, field := range of.Fields() {
		at := name
		if path != "" {
			at = path + "." + name
		}
		to[at] = field.Reach()
		reaches(at, field, to)
	}
	if elements := of.Elements(); elements != nil {
		to[path+"[]"] = elements.Reach()
		reaches(path+"[]", elements, to)
	}
}
