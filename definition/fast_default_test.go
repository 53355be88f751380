package definition

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

// defaultTests are schemas with the values that fastDefaults accepts and declines as
// defaults.
var defaultTests = []struct {
	schema            string
	accepts, declines []string
}{
	{`{type: string}`, []string{`""`, `"a b~"`}, []string{`1`, `true`, `"ä"`, `"\u0061"`, `" "x"`, `"`, `"\x7f"`, `null`, ``, `{}`, `"a`}},
	{`{type: string, minLength: 2, maxLength: 3}`, []string{`"ab"`, `"abc"`}, []string{`"a"`, `"abcd"`}},
	{`{type: string, enum: [a, b]}`, []string{`"a"`, `"b"`}, []string{`"c"`, `""`}},
	{`{type: string, format: date}`, []string{`"2020-01-01"`}, []string{`"a"`}},
	{`{type: string, format: date-time}`, []string{`"1970-01-01T00:00:00Z"`}, []string{`"1970-01-01"`}},
	{`{type: string, format: unknown}`, nil, []string{`"a"`}},
	{`{type: string, pattern: a}`, []string{`"a"`, `"bab"`}, []string{`"b"`, `""`, `"` + strings.Repeat("a", 300) + `"`}},
	{`{type: string, pattern: ^a+$}`, []string{`"aa"`}, []string{`"ab"`}},
	{`{type: string, pattern: "("}`, nil, []string{`"a"`}},
	{`{type: integer, pattern: a}`, nil, []string{`1`}},
	{`{type: boolean, pattern: a}`, nil, []string{`true`}},
	{`{type: string, anyOf: [{minLength: 3}]}`, nil, []string{`"a"`}},
	{`{type: string, allOf: [{minLength: 3}]}`, nil, []string{`"a"`}},
	{`{type: string, oneOf: [{minLength: 3}]}`, nil, []string{`"a"`}},
	{`{type: string, not: {enum: [a]}}`, nil, []string{`"a"`}},
	{`{type: string, minimum: 3}`, nil, []string{`"a"`}},
	{`{type: integer}`, []string{`0`, `-1`, `2147483647`, `-2147483648`}, []string{`2147483648`, `-2147483649`, `1.5`, `-0`, `+1`, `012`, `-01`, `1.0`, `1e3`, `"1"`}},
	{`{type: integer, format: int32}`, []string{`7`}, []string{`"7"`}},
	{`{type: integer, format: int64}`, []string{`7`}, nil},
	{`{type: integer, format: double}`, nil, []string{`7`}},
	{`{type: integer, minimum: 2, maximum: 4}`, []string{`2`, `4`}, []string{`1`, `5`}},
	{`{type: integer, minimum: 2, exclusiveMinimum: true, maximum: 4, exclusiveMaximum: true}`, []string{`3`}, []string{`2`, `4`}},
	{`{type: integer, minimum: 1.5}`, nil, []string{`3`}},
	{`{type: integer, maximum: 4294967296}`, nil, []string{`3`}},
	{`{type: integer, multipleOf: 2}`, nil, []string{`3`}},
	{`{type: integer, enum: [1, 2]}`, nil, []string{`1`, `3`}},
	{`{type: integer, maxLength: 1}`, nil, []string{`3`}},
	{`{type: number}`, nil, []string{`1`}},
	{`{type: boolean}`, []string{`true`, `false`}, []string{`1`, `"true"`}},
	{`{type: boolean, enum: [true]}`, nil, []string{`true`, `false`}},
	{`{type: object, properties: {a: {type: string}}}`, []string{`{}`, `{ }`, `{"a":"b"}`, `{ "a" : "b" }`}, []string{`[]`, `{"a":1}`, `{"a":null}`, `{"b":1}`, `{"a":"b","a":"c"}`, `{"a":"b"}x`, `{"a":"b",}`, `{"a"}`, `{`, `{"a":"b"`}},
	{`{type: object, properties: {a: {type: integer}, b: {type: integer}}}`, []string{`{"a":1,"b":2}`}, []string{`{"b":2,"a":1}`}},
	{`{type: object, required: [a], properties: {a: {type: string}, b: {type: string}}}`, []string{`{"a":""}`, `{"a":"","b":""}`}, []string{`{}`, `{"b":""}`}},
	{`{type: object, required: [a, c], properties: {a: {type: string}}}`, nil, []string{`{"a":""}`}},
	{`{type: object, minProperties: 1, maxProperties: 1, properties: {a: {type: string}, b: {type: string}}}`, []string{`{"a":""}`}, []string{`{}`, `{"a":"","b":""}`}},
	{`{type: object, minProperties: 1}`, nil, []string{`{}`}},
	{`{type: object, minItems: 1, properties: {a: {type: string}}}`, nil, []string{`{"a":""}`}},
	{`{type: object, additionalProperties: {type: string}}`, []string{`{}`}, []string{`{"a":"b"}`}},
	{`{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}`, nil, []string{`{"a":{}}`}},
	{`{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {type: boolean}}}}}}`, []string{`{"a":[{"b":true},{}]}`}, []string{`{"a":[{"b":1}]}`}},
	{`{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`, nil, []string{`{}`}},
	{`{type: array, items: {type: string}}`, []string{`[]`, `["a"]`, `[ "a" , "b" ]`}, []string{`{}`, `[1]`, `["a"`, `["a",]`, `[`, `["a"]]`, `["` + strings.Repeat("a", 5000) + `"]`}},
	{`{type: array, items: {type: string}, minItems: 1, maxItems: 2}`, []string{`["a"]`, `["a","b"]`}, []string{`[]`, `["a","b","c"]`}},
	{strings.Repeat(`{type: array, items: `, 15) + `{type: string}` + strings.Repeat(`}`, 15), []string{strings.Repeat(`[`, 15) + strings.Repeat(`]`, 15)}, nil},
	{strings.Repeat(`{type: array, items: `, 17) + `{type: string}` + strings.Repeat(`}`, 17), nil, []string{strings.Repeat(`[`, 17) + strings.Repeat(`]`, 17)}},
	{`{type: array, items: {type: string}, minProperties: 1}`, nil, []string{`["a"]`}},
	{`{type: array, items: {type: string}, x-kubernetes-list-type: set}`, []string{`["a","a"]`}, nil},
	{`{x-kubernetes-int-or-string: true}`, nil, []string{`1`, `"a"`, `true`}},
}

// holder returns a definition with a schema as that of the field spec.a.
func holder(t *testing.T, s apiextensionsv1.JSONSchemaProps, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, listKind: ThingList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {}}}}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties = map[string]apiextensionsv1.JSONSchemaProps{name: s}
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
	return crd
}

// The fast check of defaults accepts none that the reference refuses, and Check has the same
// errors with both.
func TestFastValidDefault(t *testing.T) {
	for _, test := range defaultTests {
		var s apiextensionsv1.JSONSchemaProps
		if err := yaml.Unmarshal([]byte(test.schema), &s); err != nil {
			t.Fatal(err)
		}
		check := func(value string, want bool) {
			s.Default = &apiextensionsv1.JSON{Raw: []byte(value)}
			if got := new(fastDefaults).valid(&s); got != want {
				t.Errorf("%s with default %s: valid() = %v, want %v", test.schema, value, got, want)
			}
			for _, name := range []string{"a", "metadata"} {
				crd := holder(t, s, name)
				fast, reference := Check(crd), Check(crd, testopt.Reference{})
				if f, r := fmt.Sprint(fast.Errors), fmt.Sprint(reference.Errors); f != r || want && !fast.Accepted() {
					t.Errorf("%s with default %s: errors %s, want %s", test.schema, value, f, r)
				}
			}
		}
		for _, value := range test.accepts {
			check(value, true)
		}
		for _, value := range test.declines {
			check(value, false)
		}
	}
}

// A definition is simple unless it has rules or a default that needs the validator.
func TestSimpleVersions(t *testing.T) {
	text := apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"a"`)}}
	ruled := apiextensionsv1.JSONSchemaProps{Type: "string", XValidations: apiextensionsv1.ValidationRules{{Rule: "true"}}}
	long := text
	long.Default = &apiextensionsv1.JSON{Raw: []byte(`"\u0061"`)}
	for _, test := range []struct {
		title, name string
		schema      apiextensionsv1.JSONSchemaProps
		simple      bool
	}{
		{"no default", "a", apiextensionsv1.JSONSchemaProps{Type: "string"}, true},
		{"a simple default", "a", text, true},
		{"a default with an escape", "a", long, false},
		{"a default in metadata", "metadata", text, false},
		{"a default of a kind", "kind", text, false},
		{"a default below metadata", "metadata", *holding(text), false},
		{"a default below another field", "a", *holding(text), true},
		{"a rule", "a", ruled, false},
		{"a rule below", "a", *holding(ruled), false},
	} {
		scans, errs := scan(holder(t, test.schema, test.name), &fastDefaults{}, nil)
		if len(errs) > 0 || scans[0].simple != test.simple {
			t.Errorf("%s: simple = %v, want %v (%v)", test.title, scans[0].simple, test.simple, errs)
		}
	}
	root := holder(t, text, "a")
	root.Spec.Versions[0].Schema.OpenAPIV3Schema.Default = &apiextensionsv1.JSON{Raw: []byte("{}")}
	if scans, _ := scan(root, &fastDefaults{}, nil); scans[0].simple {
		t.Error("a definition with a default of the whole object is simple")
	}
}

// A definition is faultless if nothing but its structure, its defaults and the types of its
// rules can be wrong.
func TestFaultlessVersions(t *testing.T) {
	for text, want := range map[string]bool{
		`{type: string, default: a}`: true,
		`{type: string, x-kubernetes-validations: [{rule: self != 'a', message: m}]}`:                                                              true,
		`{type: string, x-kubernetes-validations: [{rule: " "}]}`:                                                                                  false,
		`{type: array, items: {type: string}, x-kubernetes-list-type: set}`:                                                                        true,
		`{type: array, items: {type: string}, uniqueItems: true}`:                                                                                  false,
		`{type: array, items: {type: object}, x-kubernetes-list-type: set}`:                                                                        false,
		`{type: string, x-kubernetes-list-map-keys: [a]}`:                                                                                          false,
		`{type: object, x-kubernetes-map-type: a}`:                                                                                                 false,
		`{type: string, x-kubernetes-validations: [{rule: "true", fieldPath: .a}]}`:                                                                false,
		`{type: object, properties: {metadata: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}`: false,
		`{type: text}`: false,
		`{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}`:                      false,
		`{type: object, properties: {a: {type: string}}, additionalProperties: true}`:                                true,
		`{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, default: {}}}}`:  false,
		`{type: object, additionalProperties: {type: array, items: {type: string, oneOf: [{not: {type: "null"}}]}}}`: false,
	} {
		var s apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		crd := holder(t, s, "a")
		if scans, errs := scan(crd, &fastDefaults{}, nil); len(errs) > 0 || scans[0].faultless != want {
			t.Errorf("%s: faultless = %v, want %v (%v)", text, scans[0].faultless, want, errs)
		}
		fast, reference := Check(crd), Check(crd, testopt.Reference{})
		if diff := cmp.Diff(fmt.Sprint(reference.Errors), fmt.Sprint(fast.Errors)); diff != "" {
			t.Errorf("%s: errors (-reference +fast):\n%s", text, diff)
		}
	}
	inner := apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"a"`)}}
	if scans, _ := scan(holder(t, inner, "kind"), &fastDefaults{}, nil); scans[0].faultless {
		t.Error("a definition with a default of the kind is faultless")
	}
}

// The check of a simple definition builds no paths and no nodes: what it allocates does not
// grow with the schema.
func TestCheckBuildsNoPaths(t *testing.T) {
	if testkit.RaceDetector {
		return // the race detector moves values to the heap
	}
	s := apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"a"`)}}
	list := apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &s}}
	for range 20 {
		list = *holding(list)
	}
	crd := holder(t, list, "a")
	crd.Spec.Names.ShortNames, crd.Spec.Names.Categories = []string{"t"}, []string{"all"}
	least := math.Inf(1)
	for range 5 {
		least = min(least, testing.AllocsPerRun(10, func() {
			if !Check(crd, WithContext(context.Background())).Accepted() {
				t.Error("the definition is refused")
			}
		}))
	}
	if least > 24 {
		t.Errorf("Check allocated %v times, want at most 24 for 25 schemas", least)
	}
}
