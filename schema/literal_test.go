package schema

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/schemaopt"
)

// compiles reports what Compile says, with the bounds of the options.
func compiles(props *apiextensionsv1.JSONSchemaProps, opts ...Option) bool {
	_, errs := Compile(props, opts...)
	return len(errs) == 0
}

// A literal is JSON, wherever a schema has it.
func TestLiterals(t *testing.T) {
	for _, test := range []struct {
		literal string
		want    bool
	}{
		{"", true}, {"null", true}, {"true", true}, {"false", true}, {"{}", true}, {"[]", true},
		{`""`, true}, {`"a b~"`, true}, {"0", true}, {"-1", true}, {"123456789012345", true},
		{"1234567890123456", true}, {"1.5", true}, {"-0", true}, {`"\n"`, true}, {`"ä"`, true},
		{`{"a":1}`, true}, {"[1]", true}, {" 1", true},
		{"-", false}, {"01", false}, {"1a", false}, {`"`, false}, {`"a`, false}, {`a"`, false},
		{`"a"b"`, false}, {`"\"`, false}, {"\"\x01\"", false}, {"nul", false}, {"{", false},
	} {
		literal := apiextensionsv1.JSON{Raw: []byte(test.literal)}
		enum := apiextensionsv1.JSONSchemaProps{Enum: []apiextensionsv1.JSON{{Raw: []byte("1")}, literal}}
		for where, value := range map[string]apiextensionsv1.JSONSchemaProps{
			"default": {Default: &literal}, "enum": enum,
			"enum in allOf": {AllOf: []apiextensionsv1.JSONSchemaProps{{}, enum}},
			"enum in anyOf": {AnyOf: []apiextensionsv1.JSONSchemaProps{enum}},
			"enum in oneOf": {OneOf: []apiextensionsv1.JSONSchemaProps{enum}},
			"enum in not of elements": {Not: &apiextensionsv1.JSONSchemaProps{
				Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &enum}}},
			"enum in not of fields": {Not: &apiextensionsv1.JSONSchemaProps{
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": enum}}},
		} {
			value.Type = "string"
			props := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": value}}
			if got := compiles(props); got != test.want {
				t.Errorf("%s %q: compiles = %v, want %v", where, test.literal, got, test.want)
			}
		}
	}
}

// These options decide what Compile accepts.
func TestOptionsOfCompile(t *testing.T) {
	props := wideSchema("string", 2)
	loose := &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Nullable: true}}}
	limit := errorlimit.New(1)
	for name, test := range map[string]struct {
		props *apiextensionsv1.JSONSchemaProps
		opts  []Option
		want  bool
	}{
		"deep enough":              {props, []Option{MaxDepth(3)}, true},
		"too deep":                 {props, []Option{MaxDepth(2)}, false},
		"small enough":             {props, []Option{MaxNodes(73)}, true},
		"too large":                {props, []Option{MaxNodes(72)}, false},
		"not structural":           {loose, []Option{limit}, false},
		"need not be structural":   {loose, []Option{schemaopt.Unstructured{}}, true},
		"unsupported all the same": {&apiextensionsv1.JSONSchemaProps{ID: strings.Repeat("x", 3)}, []Option{schemaopt.Unstructured{}}, false},
	} {
		if got := compiles(test.props, test.opts...); got != test.want {
			t.Errorf("%s: compiles = %v, want %v", name, got, test.want)
		}
	}
	if limit.Omitted() > 1 {
		t.Errorf("Compile omitted %d errors, want at most 1", limit.Omitted())
	}
}
