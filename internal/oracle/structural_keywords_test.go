package oracle_test

import (
	"strconv"
	"strings"
	"testing"
)

// structuralKeywords are all keywords of a schema, each with values that may
// matter to a rule: empty, null, zero, nested.
var structuralKeywords = []struct {
	name   string
	values []string
}{
	{"type", []string{`"object"`, `"array"`, `"string"`, `"integer"`, `"foo"`, `""`, `null`}},
	{"title", []string{`"t"`, `""`}},
	{"description", []string{`"d"`, `""`}},
	{"default", []string{`1`, `null`, `{}`, `""`, `false`}},
	{"example", []string{`1`, `null`, `{}`, `false`}},
	{"externalDocs", []string{`{}`, `null`, `{"url":"x"}`}},
	{"nullable", []string{`true`, `false`}},
	{"format", []string{`"date"`, `""`}},
	{"maximum", []string{`0`, `null`}},
	{"minimum", []string{`1.5`}},
	{"exclusiveMaximum", []string{`true`, `false`}},
	{"exclusiveMinimum", []string{`true`, `false`}},
	{"multipleOf", []string{`2`}},
	{"maxLength", []string{`0`, `null`}},
	{"minLength", []string{`1`}},
	{"pattern", []string{`"^a$"`, `""`, `"("`, `"[z-a]"`, `"\\p{X}"`, `"a{1001}"`, `"(?!x)"`, `"\\1"`, `"(((a{100}){100}){100})"`, `"a**"`, `"(?P<n>a)(?P<n>b)"`}},
	{"maxItems", []string{`0`}},
	{"minItems", []string{`0`}},
	{"uniqueItems", []string{`true`, `false`}},
	{"enum", []string{`[]`, `[1]`, `[null]`, `null`}},
	{"maxProperties", []string{`0`}},
	{"minProperties", []string{`0`}},
	{"required", []string{`[]`, `["a"]`, `null`}},
	{"items", []string{`{}`, `{"type":"string"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `[]`, `[{}]`, `5`, `null`}},
	{"not", []string{`{}`, `null`, `{"type":"string"}`, `{"required":["a"]}`, `{"properties":{"metadata":{}}}`, `{"properties":{"zz":{}}}`, `{"items":{"items":{}}}`, `{"id":"x"}`}},
	{"allOf", []string{`[]`, `[{}]`, `null`, `[{"anyOf":[{"type":"integer"},{"type":"string"}]}]`,
		`[{"anyOf":[{"type":"integer"},{"type":"string"}],"title":"x"},{"pattern":"("}]`, `[{},{"anyOf":[{"type":"integer"},{"type":"string"}]}]`,
		`[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"anyOf":[{"type":"integer"},{"type":"string"}]}]`,
		`[{"properties":{"spec":{"properties":{"a":{"minLength":1}}}}}]`}},
	{"anyOf", []string{`[]`, `[{}]`, `[{"type":"integer"},{"type":"string"}]`, `[{"type":"string"},{"type":"integer"}]`,
		`[{"type":"integer"},{"type":"string","default":null,"example":null,"enum":[]}]`, `[{"type":"integer"},{"type":"string"},{}]`,
		`[{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}]}]`, `[{"required":["a"]},{"properties":{"spec":{"required":["x"]}}}]`}},
	{"oneOf", []string{`[]`, `[{}]`, `[{"type":"integer"},{"type":"string"}]`, `[{"properties":{"spec":{"additionalProperties":true}}}]`, `[{"items":{"properties":{"q":{}}}}]`}},
	{"properties", []string{`{}`, `null`, `{"a":{"type":"string"}}`, `{"":{}}`, `{"metadata":{"type":"object"}}`, `{"metadata":{"type":"object","properties":{"name":{"type":"string","pattern":"a"}}}}`,
		`{"name":{"type":"string"}}`, `{"generateName":{}}`, `{"name":{},"generateName":{}}`, `{"name":{},"labels":{}}`,
		`{"kind":{"type":"integer"},"apiVersion":{}}`, `{"a].properties[b":{},"a":{"type":"object","properties":{"b":{}}}}`}},
	{"additionalProperties", []string{`true`, `false`, `{}`, `{"type":"string"}`, `null`}},
	{"x-kubernetes-preserve-unknown-fields", []string{`true`, `null`, `false`}},
	{"x-kubernetes-embedded-resource", []string{`true`, `false`}},
	{"x-kubernetes-int-or-string", []string{`true`, `false`}},
	{"x-kubernetes-list-map-keys", []string{`[]`, `["a"]`, `null`}},
	{"x-kubernetes-list-type", []string{`"map"`, `""`, `null`}},
	{"x-kubernetes-map-type", []string{`"atomic"`, `""`, `null`}},
	{"x-kubernetes-validations", []string{`[]`, `[{"rule":"true"}]`, `null`}},
	{"id", []string{`"x"`, `""`}},
	{"$schema", []string{`"x"`, `""`}},
	{"$ref", []string{`"x"`, `""`, `null`}},
	{"patternProperties", []string{`{"a":{}}`, `{}`}},
	{"dependencies", []string{`{"a":["b"]}`, `{}`, `{"a":5}`}},
	{"additionalItems", []string{`true`, `false`, `{}`, `null`}},
	{"definitions", []string{`{"a":{}}`, `{}`}},
}

// structuralLocations are the kinds of locations that rules distinguish: a
// schema, and the keys and indices that lead to the location, separated by
// spaces.
var structuralLocations = []struct{ schema, at string }{
	{`{}`, ""},
	{`{"type":"object"}`, ""},
	{`{"type":"object","properties":{"spec":{"type":"object"}}}`, ""},
	{`{"type":"object","properties":{"spec":{}}}`, "properties spec"},
	{`{"type":"object","properties":{"spec":{"type":"object"}}}`, "properties spec"},
	{`{"type":"object","properties":{"spec":{"type":"array","items":{}}}}`, "properties spec items"},
	{`{"type":"object","properties":{"spec":{"type":"array"}}}`, "properties spec"},
	{`{"type":"object","properties":{"spec":{"type":"object","additionalProperties":{}}}}`, "properties spec additionalProperties"},
	{`{"type":"object","additionalProperties":{}}`, "additionalProperties"},
	{`{"type":"object","properties":{"kind":{}}}`, "properties kind"},
	{`{"type":"object","properties":{"metadata":{"type":"object"}}}`, "properties metadata"},
	{`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string"}}}}}`, "properties metadata properties name"},
	{`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string"}}}}}`, "properties metadata"},
	{`{"type":"object","properties":{"pod":{"type":"object","x-kubernetes-embedded-resource":true}}}`, "properties pod"},
	{`{"type":"object","properties":{"pod":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}`, "properties pod"},
	{`{"type":"object","properties":{"pod":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"metadata":{"type":"object"}}}}}`, "properties pod properties metadata"},
	{`{"type":"object","properties":{"port":{"x-kubernetes-int-or-string":true}}}`, "properties port"},
	{`{"type":"object","properties":{"port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}}}`, "properties port anyOf 0"},
	{`{"type":"object","properties":{"port":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}}}`, "properties port anyOf 1"},
	{`{"type":"object","properties":{"port":{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}]}}}`, "properties port allOf 0"},
	{`{"type":"object","properties":{"port":{"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]}]}}}`, "properties port allOf 0 anyOf 1"},
	{`{"type":"object","allOf":[{}]}`, "allOf 0"},
	{`{"type":"object","anyOf":[{},{}]}`, "anyOf 1"},
	{`{"type":"object","oneOf":[{}]}`, "oneOf 0"},
	{`{"type":"object","not":{}}`, "not"},
	{`{"type":"object","properties":{"spec":{"type":"object","not":{"allOf":[{}]}}}}`, "properties spec not allOf 0"},
	{`{"type":"object","properties":{"spec":{"type":"object"}},"not":{"properties":{"spec":{}}}}`, "not properties spec"},
	{`{"type":"object","properties":{"spec":{"type":"array","items":{"type":"object"}}},"not":{"properties":{"spec":{"items":{}}}}}`, "not properties spec items"},
	{`{"type":"object","not":{"properties":{"zz":{}}}}`, "not properties zz"},
}

// member returns the object at a location of a tree.
func member(t testing.TB, root map[string]any, at string) map[string]any {
	t.Helper()
	var v any = root
	for _, step := range strings.Fields(at) {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil {
				t.Fatal(err)
			}
			v = x[i]
		}
	}
	return v.(map[string]any)
}
