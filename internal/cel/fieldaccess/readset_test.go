package fieldaccess

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
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
		"self.text == 'a'":               {"text": Everything},
		"has(self.text)":                 {"text": Presence},
		"size(self.list) > 0":            {"list": Contents},
		"'a' in self.map":                {"map": Contents},
		"self.list.all(e, e.name != '')": {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.list[0].name == '' && self.list[1].other == ''": {
			"list": Contents, "list[]": Presence, "list[].name": Everything, "list[].other": Everything,
		},
		"self.list == self.list":             {"list": Everything},
		"self.map.all(k, self.map[k] != '')": {"map": Contents, "map[]": Everything},
		"1 == 2":                             {},
		"self == self":                       {"": Everything},
		"self.?text.hasValue()":              {"text": Everything},
		"self.list[0].name == ''":            {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.list[?0].?name.hasValue()":     {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.list == [] ? self.text == '' : has(self.map.a)": {"list": Everything, "text": Everything, "map": Contents, "map[]": Unread},
		"(has(self.text) ? self.list : self.list)[0].name == ''": {
			"text": Presence, "list": Contents, "list[]": Presence, "list[].name": Everything,
		},
		"self.list.map(e, e.name).exists(n, n == 'a')": {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.list.map(e, e)[0].other == ''":           {"list": Contents, "list[]": Everything},
		"self.list.filter(e, e.name == '')[0].other == ''": {
			"list": Contents, "list[]": Everything, "list[].name": Everything,
		},
		"self.list.filter(e, e.name == '').size() > 0":  {"list": Contents, "list[]": Everything, "list[].name": Everything},
		"self.list.exists(i, e, i > 0 && e.name == '')": {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.map.all(k, v, k != '')":                   {"map": Contents, "map[]": Unread},
		"self.map.all(k, v, v != '')":                   {"map": Contents, "map[]": Everything},
		"[self.list][0][0].name == ''":                  {"list": Everything},
		"(self.list + self.list)[0].name == ''":         {"list": Everything},
		"{'a': self.list}.a[0].name == ''":              {"list": Everything},
		"[self.list, self.list].size() == 1":            {"list": Everything},
		"'a' in self.list.map(e, e.name)":               {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.text in self.list":                        {"text": Everything, "list": Everything},
		"self.a__dash__b == 'a'":                        {"a-b": Everything},
		"has(self.a__dash__b)":                          {"a-b": Presence},
		"self.namespace == 'a'":                         {"namespace": Everything},
		"self.__namespace__ == 'a'":                     {"namespace": Everything},
		"'abc'.replace('a', self.text).size() > 0":      {"text": Everything},
		"self.text.startsWith('a')":                     {"text": Everything},
		"self.list.map(e, e.name).join(',').size() > 0": {"list": Contents, "list[]": Presence, "list[].name": Everything},
		"self.list.map(e, e.name == '' ? [e.name] : [[self.text][0]]).exists(l, l[0] == 'a')": {
			"list": Contents, "list[]": Presence, "list[].name": Everything, "text": Everything,
		},
		"self.lists.map(l, l.size() > 0 ? l : [self.text]).exists(l, l[0] == 'a')": {
			"lists": Contents, "lists[]": Everything, "text": Everything,
		},
		"self.list.all(self, self.name == '')": {"list": Contents, "list[]": Presence, "list[].name": Everything},
	} {
		n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
			Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"text": text, "a-b": text, "namespace": text,
				"lists": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &text},
				}}},
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
		if access := analysis.Sets[n].Access(); access == Everything {
			got[""] = access
		}
		accesses("", analysis.Sets[n], got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

// accesses adds the accesses below a value at a path.
func accesses(path string, of *ReadSet, to map[string]Access) {
	for name, field := range of.fields {
		at := name
		if path != "" {
			at = path + "." + name
		}
		to[at] = field.Access()
		accesses(at, field, to)
	}
	if elements := of.elements; elements != nil {
		to[path+"[]"] = elements.Access()
		accesses(path+"[]", elements, to)
	}
}

// TestReadSetOfParts: Field and Elements return the read sets of the parts, and
// none of a value that is not read. AllOf is read completely.
func TestReadSetOfParts(t *testing.T) {
	element := &ReadSet{access: Contents}
	field := &ReadSet{access: Presence, elements: element}
	object := &ReadSet{fields: map[string]*ReadSet{"a": field}}
	if got := object.Field("a"); got != field {
		t.Errorf("Field(a) = %v, want %v", got, field)
	}
	if got := object.Field("b"); got != nil || got.Access() != Unread {
		t.Errorf("Field(b) = %v, want none", got)
	}
	if got := field.Elements(); got != element {
		t.Errorf("Elements = %v, want %v", got, element)
	}
	var none *ReadSet
	if none.Field("a") != nil || none.Elements() != nil || none.Access() != Unread {
		t.Error("a nil ReadSet has parts")
	}
	n, _ := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object"})
	if all := AllOf(n); all == nil || all.Access() != Everything {
		t.Errorf("AllOf = %v, want Everything", all)
	}
}

func TestUses(t *testing.T) {
	language, err := celtypes.LanguageOf(celtypes.NewestMinor)
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string][]string{
		"1 == 2":                                   nil,
		"self.a.b > oldSelf.a.b":                   {"oldSelf.a.b", "self.a.b"},
		"has(self.a) && self.a[0].b > 1":           {"self.a"},
		"self.all(self, self.a)":                   {"self"},
		"self.?a.optMap(x, x + self.b).hasValue()": {"self", "self.b"},
		"[1].exists(x, x == self.b) && self.c.exists_one(x, x == self.d)": {"self.b", "self.c", "self.d"},
		"self.l.map(x, {x: self.m})":                                      {"self.l", "self.m"},
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
