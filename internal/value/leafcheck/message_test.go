package leafcheck

import (
	"math"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// The error for a refused kind has the wanted type and the type of the value. For
// scalars that are not strings, the format replaces the type.
func TestRefusal(t *testing.T) {
	for _, tt := range []struct {
		typ       Type
		kind      Mask
		want, got string
	}{
		{Type{Names: []string{"string"}}, Null, "string", "null"},
		{Type{Names: []string{"string"}}, Bool, "string", "boolean"},
		{Type{Names: []string{"string"}}, Int, "string", "integer"},
		{Type{Names: []string{"integer"}}, Whole, "integer", "number"},
		{Type{Names: []string{"integer"}}, Fraction, "integer", "number"},
		{Type{Names: []string{"integer"}}, String, "integer", "string"},
		{Type{Names: []string{"string"}}, Array, "string", "array"},
		{Type{Names: []string{"string"}}, Object, "string", "object"},
		{Type{Names: []string{"string"}}, Other, "string", ""},
		{Type{Names: []string{"integer", "string"}}, Bool, "integer,string", "boolean"},
		{Type{Names: []string{"string"}, Format: "date"}, Bool, "date", ""},
		{Type{Names: []string{"string"}, Format: "date"}, Int, "date", "int64"},
		{Type{Names: []string{"string"}, Format: "date"}, Fraction, "date", "float64"},
		{Type{Names: []string{"string"}, Format: "date"}, Object, "date", ""},
		{Type{Names: []string{"integer"}, Format: "int32"}, Null, "integer", "null"},
		{Type{Names: []string{"integer"}, Format: "int32"}, String, "integer", "string"},
		{Type{Names: []string{"integer"}, Format: "int32"}, Array, "integer", "array"},
		{Type{Names: []string{"boolean"}, Format: "int64"}, Int, "boolean", "integer"},
	} {
		if want, got := tt.typ.Refusal(tt.kind); want != tt.want || got != tt.got {
			t.Errorf("%v with format %q refuses kind %b: want %q, got %q; expected %q, %q", tt.typ.Names, tt.typ.Format, tt.kind, want, got, tt.want, tt.got)
		}
	}
}

// The texts of an enum are written once.
func TestEnumTexts(t *testing.T) {
	e := newEnum([]any{"a", int64(1), 1.5, nil, true, []any{"x"}})
	const list, detail = `[a 1 1.5 <nil> true [x]]`, `supported values: "a", "1", "1.5", "null", "true", "[\"x\"]"`
	for range 2 {
		if e.Text() != list || e.Detail() != detail {
			t.Errorf("Text = %s, Detail = %s; want %s, %s", e.Text(), e.Detail(), list, detail)
		}
	}
	if got := testing.AllocsPerRun(10, func() { e.Text(); e.Detail() }); got != 0 {
		t.Errorf("texts that are written allocated %v times, want 0", got)
	}
}

// The zero Type admits everything, even what JSON does not decode to.
func TestNoTypeAdmitsAll(t *testing.T) {
	if got := (&Type{}).Mask(); got != All {
		t.Errorf("Mask = %b, want %b", got, All)
	}
	n := mustNode(t, "{x-kubernetes-preserve-unknown-fields: true}")
	if !n.Valid(int32(1)) || n.orNilIfAdmitsAll() != nil {
		t.Error("a schema that declares nothing refuses a value")
	}
	if got := MaskOf(int32(1)); got != Other {
		t.Errorf("MaskOf(int32) = %b", got)
	}
	if n := mustNode(t, "{type: integer}"); n.Valid(int32(1)) {
		t.Error("an int32 is admitted as an integer")
	}
}

func TestIsWhole(t *testing.T) {
	for f, want := range map[float64]bool{
		0: true, 1: true, -3: true, 1.5: false, -1.5: false, 1.0000000001: true, 0.9999999999: true, -1.0000000001: true,
		1.00000001: false, 1e-10: false, maxWhole: true, -maxWhole: true, maxWhole + 1: false, -maxWhole - 1: false,
		math.Inf(1): false, math.NaN(): false,
	} {
		if got := IsWhole(f); got != want {
			t.Errorf("IsWhole(%v) = %t", f, got)
		}
	}
}

// Distinct looks for lists in elements, properties and additional properties.
func TestDistinctBelow(t *testing.T) {
	const set = "{type: array, x-kubernetes-list-type: set, items: {type: string}}"
	same, different := []any{"a", "a"}, []any{"a", "b"}
	for _, tt := range []struct {
		text string
		wrap func(v any) any
	}{
		{"{type: array, items: " + set + "}", func(v any) any { return []any{different, v} }},
		{"{type: object, properties: {a: {type: string}, s: " + set + "}}", func(v any) any { return map[string]any{"a": same, "s": v} }},
		{"{type: object, additionalProperties: " + set + "}", func(v any) any { return map[string]any{"s": v, "t": different} }},
		{
			"{type: array, items: {type: object, properties: {s: {type: object, additionalProperties: " + set + "}}}}",
			func(v any) any { return []any{map[string]any{}, map[string]any{"s": map[string]any{"a": v}}} },
		},
	} {
		n := mustNode(t, tt.text)
		if !n.Distinct(tt.wrap(different)) || n.Distinct(tt.wrap(same)) {
			t.Errorf("%s: Distinct(%v) = %t, Distinct(%v) = %t", tt.text, tt.wrap(different), n.Distinct(tt.wrap(different)), tt.wrap(same), n.Distinct(tt.wrap(same)))
		}
	}
	if n := mustNode(t, "{type: array, items: {type: string}}"); !n.Distinct(same) {
		t.Error("elements of a list without a list type may be equal")
	}
	if n := mustNode(t, set); !n.Distinct("text") || !n.Distinct(nil) {
		t.Error("a value that is no list has equal elements")
	}
}

// Lists overlap if additionalProperties, which have lists, also apply to
// declared properties.
func TestListsOverlap(t *testing.T) {
	const set = "{type: array, x-kubernetes-list-type: set, items: {type: string}}"
	const overlap = "{type: object, properties: {a: {type: string}}, additionalProperties: " + set + "}"
	for text, want := range map[string]bool{
		"{type: string}": false,
		set:              false,
		overlap:          true,
		"{type: object, additionalProperties: " + set + "}":                                       false,
		"{type: object, properties: {a: " + set + "}}":                                            false,
		"{type: object, properties: {a: " + set + "}, additionalProperties: {type: string}}":      false,
		"{type: array, items: " + overlap + "}":                                                   true,
		"{type: array, x-kubernetes-list-type: atomic, items: {type: array, items: " + set + "}}": false,
		"{type: object, additionalProperties: " + overlap + "}":                                   true,
		"{type: object, properties: {a: " + set + ", b: " + overlap + "}}":                        true,
		"{type: object, properties: {a: " + set + ", b: {type: array, items: " + set + "}}}":      false,
	} {
		c := NewCompiler(Config{Minor: 37})
		if mustCompile(t, text, c); c.ListsOverlap != want {
			t.Errorf("%s: ListsOverlap = %t", text, c.ListsOverlap)
		}
	}
}

// Properties have their index, in increasing order of name.
func TestIndex(t *testing.T) {
	f := mustNode(t, "{type: object, properties: {b: {type: string}, a: {type: string}, c: {type: string}}}").Fields
	for i, name := range []string{"a", "b", "c"} {
		if got, ok := f.Index(name); got != i || !ok {
			t.Errorf("Index(%s) = %d, %t", name, got, ok)
		}
	}
	if _, ok := f.Index("d"); ok {
		t.Error("an undeclared property has an index")
	}
}

// Equal branches are compiled once.
func TestBranchSharing(t *testing.T) {
	n := mustNode(t, "{type: string, anyOf: [{maxLength: 3}, {maxLength: 3}, {maxLength: 4}], not: {maxLength: 4}}")
	if j := n.Nested; j.AnyOf[0] != j.AnyOf[1] || j.AnyOf[2] != j.Not || j.AnyOf[0] == j.AnyOf[2] {
		t.Error("equal branches are not one node, or different ones are")
	}
}

func TestFormats(t *testing.T) {
	n := mustNode(t, "{type: string, format: date}")
	if n.Text == nil || n.Text.Format != "date" {
		t.Errorf("Text = %+v, want the format date", n.Text)
	}
	s, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "string", Format: "k8s-short-name"}, schemaopt.Unstructured{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for every, want := range map[bool]bool{false: true, true: false} {
		if got := New(s, Config{Minor: 29, EveryFormat: every}).Valid("-"); got != want {
			t.Errorf("EveryFormat %t: a format of a later version admits a wrong value: %t", every, got)
		}
	}
}
