package definition

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// defaultTests are schemas with values that are valid defaults, and with others.
var defaultTests = []struct {
	schema        string
	valid, others []string
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

// holder returns a definition whose field spec.a has the schema s.
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

// Check accepts defaults that are values of their schemas.
func TestDefaultValues(t *testing.T) {
	for _, test := range defaultTests {
		var s apiextensionsv1.JSONSchemaProps
		if err := yaml.Unmarshal([]byte(test.schema), &s); err != nil {
			t.Fatal(err)
		}
		for _, value := range slices.Concat(test.valid, test.others) {
			s.Default = &apiextensionsv1.JSON{Raw: []byte(value)}
			for _, name := range []string{"a", "metadata"} {
				if got := Check(holder(t, s, name)); slices.Contains(test.valid, value) && !got.Accepted() {
					t.Errorf("%s with default %s: errors %s", test.schema, value, got.Errors)
				}
			}
		}
	}
}
