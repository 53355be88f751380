package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/jsonschema"
)

// nodeTests are schemas of a required field spec, and the exported schemas.
var nodeTests = []struct{ name, schema, want, strict string }{
	{
		name:   "string",
		schema: `{"type":"string","description":"d","minLength":1,"maxLength":2,"pattern":"^a","default":"a"}`,
		want:   `{"type":["string","null"],"description":"d","minLength":1,"maxLength":2,"pattern":"^a","default":"a"}`,
		strict: `{"type":"string","description":"d","minLength":1,"maxLength":2,"pattern":"^a","default":"a"}`,
	}, {
		name:   "format",
		schema: `{"type":"string","format":"date-time","pattern":"(?i)z"}`,
		want:   `{"type":"string"}`,
		strict: `{"type":"string","format":"date-time"}`,
	}, {
		name:   "enum with null",
		schema: `{"type":"object","properties":{"a":{"type":"string","enum":["x",null]},"b":{"type":"string","nullable":true,"enum":["x"]}}}`,
		want:   `{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{"type":"string","enum":["x"]}}}`,
		strict: `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","enum":["x"]},"b":{"type":"string","enum":["x"]}}}`,
	}, {
		name:   "exclusive bounds",
		schema: `{"type":"integer","minimum":1,"exclusiveMinimum":true,"maximum":5,"multipleOf":2}`,
		want:   `{"type":"integer","exclusiveMinimum":1,"maximum":5,"multipleOf":2}`,
	}, {
		name:   "int or string",
		schema: `{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"%$"}`,
		want:   `{"type":["integer","string"],"pattern":"%$"}`,
	}, {
		name:   "map and list",
		schema: `{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"},"maxItems":3}}`,
		want:   `{"type":"object","additionalProperties":{"type":["array","null"],"items":{"type":"string"},"maxItems":3,"uniqueItems":true}}`,
		strict: `{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"},"maxItems":3,"uniqueItems":true}}`,
	}, {
		name:   "preserving",
		schema: `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"maxProperties":2}`,
		want:   `{"type":"object"}`,
		strict: `{"type":"object","maxProperties":2}`,
	}, {
		name:   "oneOf that is exact",
		schema: `{"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`,
		want:   `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"type":["string","null"]}},"oneOf":[{"required":["a"]},{"required":["b"],"properties":{"b":{"not":{"type":"null"}}}}]}`,
		strict: `{"type":"object","additionalProperties":false,"properties":{"a":{"type":["string","null"]},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"],"properties":{"b":{"not":{"type":"null"}}}}]}`,
	}, {
		name:   "oneOf that is not",
		schema: `{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"type":"integer"}},"oneOf":[{"required":["a"],"properties":{"a":{"minLength":2}}},{"properties":{"b":{"minimum":1}}}],"not":{"properties":{"a":{"maxLength":1}}}}`,
		want: `{"type":"object","properties":{"a":{"type":["string","null"],"default":"x"},"b":{"type":["integer","null"]}},
			"allOf":[{"anyOf":[{"properties":{"a":{"minLength":2}}},{"properties":{"b":{"minimum":1}}}]}]}`,
		strict: `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","default":"x"},"b":{"type":"integer"}},
			"allOf":[{"anyOf":[{"properties":{"a":{"minLength":2}}},{"properties":{"b":{"minimum":1}}}]}]}`,
	},
}

func TestNodes(t *testing.T) {
	for _, tt := range nodeTests {
		t.Run(tt.name, func(t *testing.T) {
			var spec apiextensionsv1.JSONSchemaProps
			if err := json.Unmarshal([]byte(tt.schema), &spec); err != nil {
				t.Fatal(err)
			}
			crd := definition(spec)
			if tt.strict == "" {
				tt.strict = tt.want
			}
			for i, want := range []string{tt.want, tt.strict} {
				opts := []jsonschema.Option{nil, jsonschema.Strict()}[:i+1]
				data, err := jsonschema.Export(crd, "v1", opts...)
				if err != nil {
					t.Fatal(err)
				}
				got := decode(t, string(data))["properties"].(map[string]any)["spec"]
				if diff := cmp.Diff(decode(t, want), got); diff != "" {
					t.Errorf("spec with %d options (-want +got):\n%s", len(opts), diff)
				}
			}
		})
	}
}

// TestKeepExtensions checks that each keyword of Kubernetes is kept where it was declared,
// beside a junctor too, and that nothing else changes.
func TestKeepExtensions(t *testing.T) {
	const declared = `{"type":"object","x-kubernetes-map-type":"atomic","properties":{
		"port":{"x-kubernetes-int-or-string":true},
		"raw":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"anyOf":[{"required":["a"]}]},
		"pod":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
		"list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}}}},
		"x-kubernetes-validations":[{"rule":"self.list.size() > 0","message":"m"}]}`
	const want = `{"x-kubernetes-map-type":"atomic","x-kubernetes-validations":[{"rule":"self.list.size() > 0","message":"m"}],"properties":{
		"port":{"x-kubernetes-int-or-string":true},
		"raw":{"x-kubernetes-preserve-unknown-fields":true},
		"pod":{"x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
		"list":{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]}}}`
	var spec apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(declared), &spec); err != nil {
		t.Fatal(err)
	}
	export := func(opts ...jsonschema.Option) map[string]any {
		data, err := jsonschema.Export(definition(spec), "v1", opts...)
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, string(data))
	}
	without, with := export(), export(jsonschema.KeepExtensions())
	kept := takeExtensions(with)
	if diff := cmp.Diff(decode(t, want), kept["properties"].(map[string]any)["spec"]); diff != "" {
		t.Errorf("extensions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(without, with); diff != "" {
		t.Errorf("other keywords (-without +with):\n%s", diff)
	}
}

// takeExtensions removes the keywords of Kubernetes from a schema, and returns them with
// the properties that have some.
func takeExtensions(schema map[string]any) map[string]any {
	taken := map[string]any{}
	for keyword, value := range schema {
		if strings.HasPrefix(keyword, "x-kubernetes-") {
			taken[keyword] = value
			delete(schema, keyword)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	below := map[string]any{}
	for name, property := range properties {
		if p, ok := property.(map[string]any); ok {
			if found := takeExtensions(p); len(found) > 0 {
				below[name] = found
			}
		}
	}
	if len(below) > 0 {
		taken["properties"] = below
	}
	return taken
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestErrors(t *testing.T) {
	crd := definition(apiextensionsv1.JSONSchemaProps{})
	for want, export := range map[string]func() ([]byte, error){
		"jsonschema: the definition is nil":                    func() ([]byte, error) { return jsonschema.Export(nil, "v1") },
		`jsonschema: widgets.example.com has no version "v2"`:  func() ([]byte, error) { return jsonschema.Export(crd, "v2") },
		"jsonschema: widgets.example.com, version v1: propert": func() ([]byte, error) { return jsonschema.Export(crd, "v1") },
	} {
		if data, err := export(); data != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s, %v, want %s", data, err, want)
		}
	}
}

// TestRoot checks that metadata.name has its declared schema, and that junctors
// at the root omit metadata, which the server changes, and a status with a
// subresource, which the server ignores.
func TestRoot(t *testing.T) {
	const declared, ignored = `{"type":["object","null"]}`, `{"description":"Set with the status subresource; not looked at when the object is written."}`
	for _, tt := range []struct {
		not         string
		subresource bool
		opts        []jsonschema.Option
		status      string
		left        bool // the keyword not is omitted
	}{
		{not: `{"required":["spec"]}`, status: declared},
		{not: `{"required":["spec"]}`, status: ignored, subresource: true},
		{not: `{"required":["status"]}`, status: declared},
		{not: `{"required":["status"]}`, status: ignored, subresource: true, left: true},
		{not: `{"properties":{"status":{"minProperties":1}}}`, status: ignored, subresource: true, left: true},
		{not: `{"required":["metadata"]}`, status: declared, left: true},
		{not: `{"required":["spec"]}`, status: `{"type":"object","additionalProperties":false}`, subresource: true, opts: []jsonschema.Option{jsonschema.Strict()}},
	} {
		crd := definition(apiextensionsv1.JSONSchemaProps{Type: "object"})
		v := &crd.Spec.Versions[0]
		root := v.Schema.OpenAPIV3Schema
		root.Properties["status"] = apiextensionsv1.JSONSchemaProps{Type: "object"}
		root.Properties["metadata"] = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"name": {Type: "string", Pattern: "^a"},
		}}
		if err := json.Unmarshal([]byte(`{"not":`+tt.not+`}`), root); err != nil {
			t.Fatal(err)
		}
		if tt.subresource {
			v.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		}
		data, err := jsonschema.Export(crd, "v1", tt.opts...)
		if err != nil {
			t.Fatal(err)
		}
		out := decode(t, string(data))
		properties := out["properties"].(map[string]any)
		if diff := cmp.Diff(decode(t, tt.status), properties["status"]); diff != "" {
			t.Errorf("%s: status with a subresource %v (-want +got):\n%s", tt.not, tt.subresource, diff)
		}
		if _, found := out["not"]; found == tt.left {
			t.Errorf("not %s with a subresource %v: left out %v, want %v", tt.not, tt.subresource, !found, tt.left)
		}
		names := properties["metadata"].(map[string]any)["properties"].(map[string]any)
		wantType := any([]any{"string", "null"})
		if tt.opts != nil {
			wantType = "string"
		}
		if diff := cmp.Diff(map[string]any{"type": wantType, "pattern": "^a"}, names["name"]); diff != "" {
			t.Errorf("name (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]any{"type": []any{"string", "null"}}, names["generateName"]); diff != "" {
			t.Errorf("generateName (-want +got):\n%s", diff)
		}
	}
}

// TestEmptyLiterals checks that a literal without text counts as absent.
// Programs can set such literals.
func TestEmptyLiterals(t *testing.T) {
	data, err := jsonschema.Export(definition(apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{}, Example: &apiextensionsv1.JSON{}}), "v1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(decode(t, `{"type":"string"}`)), decode(t, string(data))["properties"].(map[string]any)["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

func TestDeepSchemaIsNotIndented(t *testing.T) {
	for _, c := range []struct {
		depth    int
		indented bool
	}{{90, true}, {110, false}} {
		schema := apiextensionsv1.JSONSchemaProps{Type: "string"}
		for range c.depth {
			schema = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": schema}}
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &schema},
		}}
		text, err := jsonschema.Export(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Count(text, []byte("\n")) > 1; got != c.indented {
			t.Errorf("depth %d: indented is %t, want %t", c.depth, got, c.indented)
		}
	}
}
