package fieldaccess

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/celtypes"
	"github.com/crdkit/crdkit/schema"
)

// TestReadSet says how much of each field a rule reads, and of the elements of
// fields in brackets.
func TestReadSet(t *testing.T) {
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	element := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"name": text, "other": text}}
	few := int64(3)
	for rule, want := range map[string]map[string]Access{
		"self.text == 'a'":                   {"text": Everything},
		"has(self.text)":                     {"text": Presence},
		"size(self.list) > 0":                {"list": Contents},
		"'a' in self.map":                    {"map": Contents},
		"self.list.all(e, e.name != '')":     {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.list == self.list":             {"list": Everything},
		"self.map.all(k, self.map[k] != '')": {"map": Contents, "map[]": Everything},
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
		parsed, issues := language.Env.Parse(rule)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		analysis, got := New(), map[string]Access{}
		analysis.Add(n, parsed.NativeRep())
		accesses("", analysis.Sets[n], got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

// accesses adds what is read below a value at a path.
func accesses(path string, of *ReadSet, to map[string]Access) {
	for name, field := range of.Fields() {
		at := name
		if path != "" {
			at = path + "." + name
		}
		to[at] = field.Access()
		accesses(at, field, to)
	}
	if elements := of.Elements(); elements != nil {
		to[path+"[]"] = elements.Access()
		accesses(path+"[]", elements, to)
	}
}

func TestUses(t *testing.T) {
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string][]string{
		"1 == 2":                         nil,
		"self.a.b > oldSelf.a.b":         {"oldSelf.a.b", "self.a.b"},
		"has(self.a) && self.a[0].b > 1": {"self.a"},
		"self.all(self, self.a)":         {"self"},
		"self.l.map(x, {x: self.m})":     {"self.l", "self.m"},
	} {
		parsed, issues := language.Env.Parse(rule)
		if issues.Err() != nil {
			t.Fatal(issues.Err())
		}
		if diff := cmp.Diff(want, Uses(parsed.NativeRep())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}
