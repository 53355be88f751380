package jsonschema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/jsonschema"
)

// TestJunctors: a schema below a junctor accepts at least what the server accepts. One that
// accepts more is neither negated nor a branch of oneOf.
func TestJunctors(t *testing.T) {
	const text = `{"type":"string"`
	const fields = `{"type":"object","properties":{"a":{"type":"string","nullable":true},"b":{"type":"integer","default":1}}`
	const list = `{"type":"array","items":{"type":"string","nullable":true}`
	for _, tt := range []struct{ name, schema, junctor, want string }{
		{"one of all", text, `"allOf":[{"minLength":1}]`, `"allOf":[{"minLength":1}]`},
		{"nothing of all", text, `"allOf":[{}]`, ``},
		{"one of one", text, `"oneOf":[{"minLength":1}]`, `"oneOf":[{"minLength":1}]`},
		{"one of any", text, `"anyOf":[{"minLength":1}]`, `"anyOf":[{"minLength":1}]`},
		{"any and nothing", text, `"anyOf":[{"minLength":1},{}]`, `"anyOf":[{"minLength":1},{}]`},
		{"not", text, `"not":{"minLength":1}`, `"not":{"minLength":1}`},
		{"inexact of one", text, `"oneOf":[{"pattern":"(?i)a","minLength":1}]`, `"allOf":[{"anyOf":[{"minLength":1}]}]`},
		{"inexact of one and nothing else", text, `"oneOf":[{"pattern":"(?i)a"}]`, ``},
		{"inexact of any and nothing else", text, `"anyOf":[{"pattern":"(?i)a"},{"minLength":1}]`, ``},
		{"not something inexact", text, `"not":{"pattern":"(?i)a","minLength":1}`, ``},
		{"not all of something inexact", text, `"not":{"allOf":[{"pattern":"(?i)a"},{"minLength":1}]}`, ``},
		{"not one of something inexact", text, `"not":{"oneOf":[{"pattern":"(?i)a","minLength":1}]}`, ``},
		{"not any of something inexact", text, `"not":{"anyOf":[{"pattern":"(?i)a","minLength":1}]}`, ``},
		{"not not something inexact", text, `"not":{"not":{"pattern":"(?i)a","minLength":1}}`, ``},
		{"not all", text, `"not":{"allOf":[{"minLength":1}]}`, `"not":{"allOf":[{"minLength":1}]}`},
		{"a field", fields, `"not":{"properties":{"a":{"minLength":1}}}`, `"not":{"properties":{"a":{"minLength":1}}}`},
		{"a field that is not declared", fields, `"not":{"properties":{"x":{"minLength":1}}}`, ``},
		{"a field that is not declared, of all", fields, `"allOf":[{"properties":{"x":{"minLength":1},"a":{"minLength":1}}}]`, `"allOf":[{"properties":{"a":{"minLength":1}}}]`},
		{"a field with a default", fields, `"not":{"properties":{"b":{"minimum":2}}}`, ``},
		{"a field that is required", fields, `"not":{"required":["a"]}`, `"not":{"required":["a"]}`},
		{"a required field with a default", fields, `"allOf":[{"required":["b"]}]`, ``},
		{"a required field that is not declared", fields, `"not":{"required":["x"]}`, ``},
		{"elements", list, `"allOf":[{"items":{"minLength":1}}]`, `"allOf":[{"items":{"minLength":1}}]`},
		{"not elements", list, `"not":{"items":{"minLength":1}}`, `"not":{"items":{"minLength":1}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := exported(t, tt.schema+","+tt.junctor+"}")
			want := exported(t, tt.schema+"}")
			if tt.want != "" {
				for keyword, value := range decode(t, "{"+tt.want+"}") {
					want[keyword] = value
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// exported returns the JSON Schema of a field with this schema.
func exported(t *testing.T, text string) map[string]any {
	t.Helper()
	var spec apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	data, err := jsonschema.Export(definition(spec), "v1")
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, string(data))["properties"].(map[string]any)["spec"].(map[string]any)
}

// TestMultipleOf: only whole factors above 0 of integers are exported, as the server takes
// others in a way of its own.
func TestMultipleOf(t *testing.T) {
	for schema, want := range map[string]any{
		`{"type":"integer","multipleOf":1}`:                1.0,
		`{"type":"integer","multipleOf":9007199254740992}`: 9007199254740992.0,
		`{"type":"integer","multipleOf":9007199254740994}`: nil,
		`{"type":"integer","multipleOf":0}`:                nil,
		`{"type":"integer","multipleOf":-2}`:               nil,
		`{"type":"integer","multipleOf":1.5}`:              nil,
		`{"type":"number","multipleOf":2}`:                 nil,
	} {
		if got := exported(t, schema)["multipleOf"]; got != want {
			t.Errorf("%s: multipleOf %v, want %v", schema, got, want)
		}
	}
}

// TestText: the text has no escapes for HTML. It is indented unless the schema is so deep
// that indentation would be most of it.
func TestText(t *testing.T) {
	for depth, indented := range map[int]bool{1: true, 99: true, 100: false, 200: false} {
		schema := strings.Repeat(`{"type":"array","items":`, depth-1) + `{"type":"string","description":"<a> & b"}` + strings.Repeat("}", depth-1)
		var spec apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal([]byte(schema), &spec); err != nil {
			t.Fatal(err)
		}
		data, err := jsonschema.Export(definition(spec), "v1")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(data), "<a> & b") {
			t.Errorf("the description is escaped in %.100s", data)
		}
		if got := strings.Contains(string(data), "\n  "); got != indented {
			t.Errorf("%d schemas below the root: indented %t, want %t", depth, got, indented)
		}
	}
}
