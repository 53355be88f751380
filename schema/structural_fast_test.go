package schema

import (
	"encoding/json"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/errorlimit"
)

// compiles reports what Compile says, with the bounds of the options.
func compiles(props *apiextensionsv1.JSONSchemaProps, opts ...Option) bool {
	_, errs := Compile(props, opts...)
	return len(errs) == 0
}

// The fast check accepts exactly the schemas that Compile accepts, and IsStructural agrees.
func TestIsStructural(t *testing.T) {
	accepted := 0
	for path, data := range structuralSchemas(t) {
		props := &apiextensionsv1.JSONSchemaProps{}
		if err := json.Unmarshal(data, props); err != nil {
			t.Fatal(err)
		}
		want := compiles(props)
		if want {
			accepted++
		}
		if got := fastStructural(props, optionsOf(nil)); got != want {
			t.Errorf("%s: fastStructural() = %v, want %v", path, got, want)
		}
		if got := IsStructural(props); got != want {
			t.Errorf("%s: IsStructural() = %v, want %v", path, got, want)
		}
	}
	if accepted < 20 {
		t.Errorf("only %d of the schemas are structural", accepted)
	}
	if !IsStructural(nil) {
		t.Error("IsStructural(nil) = false")
	}
}

// The fast check reads only simple literals, wherever a schema has them.
func TestIsStructuralLiterals(t *testing.T) {
	for _, test := range []struct {
		literal         string
		fast, compilers bool
	}{
		{"", true, true}, {"null", true, true}, {"true", true, true}, {"false", true, true}, {"{}", true, true}, {"[]", true, true},
		{`""`, true, true}, {`"a b~"`, true, true}, {"0", true, true}, {"-1", true, true}, {"123456789012345", true, true},
		{"1234567890123456", false, true}, {"1.5", false, true}, {"-0", true, true}, {`"\n"`, false, true}, {`"ä"`, false, true},
		{`{"a":1}`, false, true}, {"[1]", false, true}, {" 1", false, true},
		{"-", false, false}, {"01", false, false}, {"1a", false, false}, {`"`, false, false}, {`"a`, false, false}, {`a"`, false, false},
		{`"a"b"`, false, false}, {`"\"`, false, false}, {"\"\x01\"", false, false}, {"nul", false, false}, {"{", false, false},
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
			if got := fastStructural(props, optionsOf(nil)); got != test.fast {
				t.Errorf("%s %q: fastStructural() = %v, want %v", where, test.literal, got, test.fast)
			}
			if got := IsStructural(props); got != test.compilers || compiles(props) != got {
				t.Errorf("%s %q: IsStructural() = %v, want %v as Compile", where, test.literal, got, test.compilers)
			}
		}
	}
}

// IsStructural obeys the options that decide what Compile accepts.
func TestIsStructuralOptions(t *testing.T) {
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
		"need not be structural":   {loose, []Option{Unstructured()}, true},
		"unsupported all the same": {&apiextensionsv1.JSONSchemaProps{ID: strings.Repeat("x", 3)}, []Option{Unstructured()}, false},
	} {
		if got := IsStructural(test.props, test.opts...); got != test.want || compiles(test.props, test.opts...) != got {
			t.Errorf("%s: IsStructural() = %v, want %v as Compile", name, got, test.want)
		}
	}
	if limit.Omitted() > 1 {
		t.Errorf("IsStructural counted %d errors in the limit of its caller", limit.Omitted())
	}
}

// A schema without errors needs memory for its options only.
func TestIsStructuralAllocations(t *testing.T) {
	props := wideSchema("string", 3)
	if got := testing.AllocsPerRun(20, func() { IsStructural(props) }); got > 8 {
		t.Errorf("IsStructural allocated %v times, want no more than 8 for %d schemas", got, 1+8+64+512)
	}
}
