package schemapath_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/schema"
)

// Each schema has a maxLength of its own.
const schemaText = `
type: object
properties:
  a/b: {type: string, maxLength: 1}
  list:
    type: array
    items: {type: string, maxLength: 2}
  map:
    type: object
    additionalProperties: {type: string, maxLength: 3}
  either:
    type: object
    properties: {x: {type: string}, l: {type: array, items: {type: string}}}
    allOf: [{maxLength: 4}]
    anyOf: [{maxLength: 5}, {properties: {x: {maxLength: 6}, l: {items: {maxLength: 7}}}}]
    oneOf: [{not: {maxLength: 9, allOf: [{maxLength: 10}]}}]
`

func root(t *testing.T) *schema.Node {
	t.Helper()
	props := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(schemaText), props); err != nil {
		t.Fatal(err)
	}
	node, errs := schema.Compile(props)
	if node == nil {
		t.Fatal(errs)
	}
	return node
}

func TestAt(t *testing.T) {
	node := root(t)
	for pointer, want := range map[string]int64{
		"/properties/a~1b":                              1,
		"/properties/list/items":                        2,
		"/properties/map/additionalProperties":          3,
		"/properties/either/allOf/0":                    4,
		"/properties/either/anyOf/0":                    5,
		"/properties/either/anyOf/1/properties/x":       6,
		"/properties/either/anyOf/1/properties/l/items": 7,
		"/properties/either/oneOf/0/not":                9,
		"/properties/either/oneOf/0/not/allOf/0":        10,
	} {
		l, ok := schemapath.At(node, pointer)
		if !ok {
			t.Errorf("%s leads nowhere", pointer)
			continue
		}
		if got := l.Limits().MaxLength; got.N != want {
			t.Errorf("%s leads to a schema with maxLength %d, want %d", pointer, got.N, want)
		}
	}
	if l, ok := schemapath.At(node, ""); !ok || l.Node != node {
		t.Errorf("the empty pointer leads to %v", l)
	}
	for _, pointer := range []string{
		"/properties", "/properties/none", "/items", "/additionalProperties", "/not", "/none",
		"/properties/either/allOf", "/properties/either/allOf/1", "/properties/either/allOf/-1", "/properties/either/allOf/x",
		"/properties/either/anyOf/0/properties/x", "/properties/either/anyOf/0/not", "/properties/either/anyOf/1/none",
	} {
		if l, ok := schemapath.At(node, pointer); ok {
			t.Errorf("%s leads to %v", pointer, l)
		}
	}
}

func TestValue(t *testing.T) {
	for _, tt := range []struct {
		schemaPointer, pointer, want string
		fits                         bool
	}{
		{"", "", "", true},
		{"", "/spec/below", "", true},
		{"/properties/spec", "/spec/below", "spec", true},
		{"/properties/a~1b/items/additionalProperties", "/a~1b/12/k/below", "a/b[12][k]", true},
		{"/properties/spec", "", "", false},
		{"/properties/spec", "/status", "", false},
		{"/properties", "/spec", "", false},
		{"/items", "/x", "", false},
		{"/items", "/-1", "", false},
		{"/allOf/0", "/spec", "", false},
	} {
		path, fits := schemapath.Value(tt.schemaPointer, tt.pointer)
		if fits != tt.fits || path.String() != tt.want {
			t.Errorf("Value(%q, %q) = %q, %v; want %q, %v", tt.schemaPointer, tt.pointer, path, fits, tt.want, tt.fits)
		}
	}
}
