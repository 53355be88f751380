package schema_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// The bounds count every schema, also below allOf, anyOf, oneOf and not.
func TestBoundsCountSchemasEverywhere(t *testing.T) {
	const inner = "{properties: {a: {items: {minLength: 1}}}}" // three schemas, one in another
	for _, tt := range []struct {
		name, text   string
		depth, nodes int
	}{
		{"properties", "{type: object, properties: {x: {type: object, properties: {a: {type: string}, b: {type: string}}}}}", 3, 4},
		{"items", "{type: object, properties: {x: {type: array, items: {type: string}}}}", 3, 3},
		{"additionalProperties", "{type: object, properties: {x: {type: object, additionalProperties: {type: string}}}}", 3, 3},
		{"not", "{type: object, not: " + inner + "}", 4, 4},
		{"allOf", "{type: object, allOf: [{}, " + inner + "]}", 4, 5},
		{"anyOf", "{type: object, anyOf: [{}, " + inner + "]}", 4, 5},
		{"oneOf", "{type: object, oneOf: [" + inner + ", {}]}", 4, 5},
		{"junctors in junctors", "{type: object, not: {allOf: [{anyOf: [{}]}, {}]}}", 4, 5},
		{"junctors of a property", "{type: object, properties: {x: {type: object, allOf: [" + inner + "]}, y: {type: object, not: {}}}}", 5, 7},
		{"additionalProperties in a junctor", "{type: object, not: {additionalProperties: {minLength: 1}}}", 3, 3},
		{"junctors where unknown fields are not preserved", "{type: object, x-kubernetes-preserve-unknown-fields: false, not: " + inner + "}", 4, 4},
	} {
		errors := func(opts ...schema.Option) string {
			_, errs := schema.Compile(parse(t, tt.text), append(opts, schema.AtPath(field.NewPath("spec")))...)
			if len(errs) == 0 {
				return ""
			}
			return errs.ToAggregate().Error()
		}
		const deep, many = "must not be nested more", "must not have more"
		if got := errors(schema.MaxDepth(tt.depth), schema.MaxNodes(tt.nodes)); strings.Contains(got, deep) || strings.Contains(got, many) {
			t.Errorf("%s: within the bounds: %s", tt.name, got)
		}
		if got := errors(schema.MaxDepth(tt.depth - 1)); !strings.HasPrefix(got, "spec: Invalid value: "+deep) {
			t.Errorf("%s: one too deep: %s", tt.name, got)
		}
		if got := errors(schema.MaxNodes(tt.nodes - 1)); !strings.HasPrefix(got, "spec: Invalid value: "+many) {
			t.Errorf("%s: one too many: %s", tt.name, got)
		}
	}
}

// An error has the path of its schema, also after schemas in which the walk has
// been before.
func TestErrorPaths(t *testing.T) {
	for text, want := range map[string]string{
		"{type: object, properties: {a: {type: array, items: {type: string}}, b: {}}}":                                     "properties[b].type",
		"{type: object, properties: {a: {type: object, additionalProperties: {type: string}}, b: {}}}":                     "properties[b].type",
		"{type: object, properties: {a: {type: object, properties: {c: {type: string}}}, b: {}}}":                          "properties[b].type",
		"{type: object, properties: {a: {type: string, not: {minLength: 1}}, b: {}}}":                                      "properties[b].type",
		"{type: object, properties: {a: {type: string, allOf: [{minLength: 1}], anyOf: [{}], oneOf: [{}]}, b: {}}}":        "properties[b].type",
		"{type: object, properties: {a: {type: object, additionalProperties: {type: array, items: {}}}}}":                  "properties[a].additionalProperties.items.type",
		"{type: object, properties: {a: {type: string, anyOf: [{}, {type: string}]}}}":                                     "properties[a].anyOf[1].type",
		"{type: object, properties: {a: {type: object, properties: {b: {}}, x-kubernetes-preserve-unknown-fields: true}}}": "properties[a].properties[b].type",
	} {
		_, errs := schema.Compile(parse(t, text))
		if len(errs) != 1 || errs[0].Field != want {
			t.Errorf("%s: errors %v, want one at %s", text, errs, want)
		}
	}
}

// An embedded resource without a type has one error: it must have the type object.
func TestEmbeddedResourceWithoutType(t *testing.T) {
	_, errs := schema.Compile(parse(t, `{type: object, properties: {e: {x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}}}`))
	if len(errs) != 1 || errs[0].Field != "properties[e].type" || !strings.Contains(errs[0].Detail, "must be object") {
		t.Errorf("errors %v, want that the type must be object", errs)
	}
}

func TestKinds(t *testing.T) {
	for typ, want := range map[string]schema.Kind{
		"": schema.KindNone, "object": schema.KindObject, "array": schema.KindArray, "string": schema.KindString,
		"integer": schema.KindInteger, "number": schema.KindNumber, "boolean": schema.KindBoolean, "other": schema.KindOther,
	} {
		n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: typ}, schemaopt.Unstructured{})
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		if n.Kind() != want || n.Kind().String() != typ {
			t.Errorf("type %q has the kind %d, %q", typ, n.Kind(), n.Kind())
		}
	}
}

// Literals are decoded as package json does.
func TestLiterals(t *testing.T) {
	for raw, want := range map[string]any{
		`true`: true, `false`: false, `null`: nil, `5`: int64(5), `5.0`: 5.0, `""`: "", `"a b~"`: "a b~", `"\u0041\n"`: "A\n", `"é"`: "é", "\"\x7f\"": "\x7f",
		"\"a\xff\"": "a\ufffd", `"a\"b"`: `a"b`, ` "a" `: "a",
	} {
		props := parse(t, `{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}`)
		a := props.Properties["a"]
		a.Enum = []apiextensionsv1.JSON{{Raw: []byte(raw)}}
		props.Properties["a"] = a
		n, errs := schema.Compile(props)
		if len(errs) > 0 {
			t.Errorf("%s: %v", raw, errs)
			continue
		}
		if got := n.Property("a").Limits().Enum[0]; got != want {
			t.Errorf("%s is decoded to %#v, want %#v", raw, got, want)
		}
	}
	for _, raw := range []string{"\"\x1f\"", "\"\x00\"", `"`, `"a`, `a"`, `"a"b"`, `tru`} {
		props := parse(t, `{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}`)
		a := props.Properties["a"]
		a.Enum = []apiextensionsv1.JSON{{Raw: []byte(raw)}}
		props.Properties["a"] = a
		if n, errs := schema.Compile(props); len(errs) != 1 {
			t.Errorf("%q is decoded to %#v, errors %v", raw, n.Property("a").Limits().Enum, errs)
		}
	}
}

// Each annotation alone makes a schema annotated, in each place.
func TestAnnotationsAlone(t *testing.T) {
	for _, around := range []struct {
		text string
		find func(a *schema.Annotations) *schema.Annotations
	}{
		{"{type: object, properties: {p: %}}", func(a *schema.Annotations) *schema.Annotations { return a.Property("p") }},
		{"{type: object, properties: {p: {type: array, items: %}}}", func(a *schema.Annotations) *schema.Annotations { return a.Property("p").Items() }},
		{"{type: object, properties: {p: {type: object, additionalProperties: %}}}", func(a *schema.Annotations) *schema.Annotations { return a.Property("p").AdditionalProperties() }},
	} {
		get := func(inner string) *schema.Annotations {
			return around.find(compile(t, strings.Replace(around.text, "%", inner, 1)).Annotations())
		}
		if a := get("{type: string, description: D}"); a.Description() != "D" || a.Title() != "" {
			t.Errorf("%s: description %q, title %q", around.text, a.Description(), a.Title())
		}
		if a := get("{type: string, title: T}"); a.Title() != "T" || a.Description() != "" {
			t.Errorf("%s: title %q, description %q", around.text, a.Title(), a.Description())
		}
		if docs, ok := get("{type: string, externalDocs: {description: D, url: U}}").ExternalDocs(); !ok || docs != (schema.ExternalDocs{Description: "D", URL: "U"}) {
			t.Errorf("%s: docs %v", around.text, docs)
		}
		if example, ok := get("{type: string, example: E}").Example(); !ok || example != "E" {
			t.Errorf("%s: example %v", around.text, example)
		}
		if a := get("{type: string}"); a != nil {
			t.Errorf("%s: annotations %v without any", around.text, a)
		}
	}
}

func TestStats(t *testing.T) {
	n := compile(t, `{type: object, properties: {a: {type: string, anyOf: [{minLength: 1}, {not: {maxLength: 3}}]}, b: {type: array, items: {type: string}}}}`)
	want := schema.Stats{Nodes: 4, Depth: 3}
	if got := n.Stats(); got != want {
		t.Errorf("Stats = %+v, want %+v", got, want)
	}
}
