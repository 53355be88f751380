package leafcheck

import (
	"fmt"
	"math"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
)

func mustNode(t *testing.T, text string) *Node {
	t.Helper()
	return mustCompile(t, text, NewCompiler(Config{Minor: 37}))
}

func mustCompile(t *testing.T, text string, c *Compiler) *Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
		t.Fatal(err)
	}
	s, errs := schema.Compile(&props, schemaopt.Unstructured{})
	if len(errs) > 0 {
		t.Fatalf("%s: %v", text, errs)
	}
	return c.Node(s)
}

// validEverywhere reports whether v is valid, and checks that every method agrees.
func validEverywhere(t *testing.T, n *Node, v any) bool {
	t.Helper()
	want := n.Valid(v)
	switch v := v.(type) {
	case string:
		if n.ValidString(v) != want {
			t.Errorf("ValidString(%q) = %t", v, !want)
		}
	case int64:
		if n.ValidInt(v) != want {
			t.Errorf("ValidInt(%d) = %t", v, !want)
		}
	}
	return want
}

// TestKeywords checks each keyword in a structural schema and in branches.
func TestKeywords(t *testing.T) {
	for _, tt := range []struct{ typ, keyword, valid, invalid string }{
		{"string", "minLength: 2", `["ab","éé","abc","日本語𝄞𝄞"]`, `["","a","é","𝄞"]`},
		{"string", "maxLength: 2", `["","a","ab","éé","𝄞𝄞"]`, `["abc","ééé"]`},
		{"string", "pattern: ^a", `["a","ab"]`, `["","b"]`},
		{"string", "enum: [a, b]", `["a","b"]`, `["","c","ab"]`},
		{"string", "enum: [a, b, c, d, e, f, g, h, i]", `["a","i"]`, `["","j"]`},
		{"string", "format: date", `["2024-02-29"]`, `["2023-02-29",""]`},
		{"integer", "minimum: 2", `[2,3]`, `[1,-2]`},
		{"integer", "maximum: 2", `[2,-3]`, `[3]`},
		{"integer", "{minimum: 2, exclusiveMinimum: true}", `[3]`, `[2,1]`},
		{"integer", "{maximum: 2, exclusiveMaximum: true}", `[1]`, `[2,3]`},
		{"integer", "multipleOf: 3", `[3,0,-6]`, `[1,2,4]`},
		{"integer", "enum: [1, 2]", `[1,2]`, `[0,3]`},
		{"number", "minimum: 2.5", `[2.5,2.75]`, `[2.25,-3.5]`},
		{"number", "maximum: 2.5", `[2.5,-3.5]`, `[2.75]`},
		{"number", "{minimum: 2.5, exclusiveMinimum: true}", `[2.75]`, `[2.5,2.25]`},
		{"number", "{maximum: 2.5, exclusiveMaximum: true}", `[2.25]`, `[2.5,2.75]`},
		{"number", "multipleOf: 0.5", `[1.5,-2.5]`, `[0.25]`},
		{"number", "multipleOf: 2.5", `[2.5,7.5]`, `[1.25]`},
		{"array", "minItems: 2", `[[1,2],[1,2,3]]`, `[[],[1]]`},
		{"array", "maxItems: 2", `[[],[1,2]]`, `[[1,2,3]]`},
		{"array", "uniqueItems: true", `[[],[1,2]]`, `[[1,1],[1,2,1]]`},
		{"array", "items: {maxLength: 1}", `[[],["a"],[1]]`, `[["a","ab"]]`},
		{"object", "minProperties: 2", `[{"a":1,"b":2}]`, `[{},{"a":1}]`},
		{"object", "maxProperties: 1", `[{},{"a":1}]`, `[{"a":1,"b":2}]`},
		{"object", "required: [a, b]", `[{"a":1,"b":2}]`, `[{},{"a":1},{"b":1}]`},
		{"object", "properties: {a: {maxLength: 1}}", `[{},{"a":"a"},{"b":"ab"}]`, `[{"a":"ab"}]`},
		{"object", "additionalProperties: {maxLength: 1}", `[{},{"a":"a"}]`, `[{"a":"ab"}]`},
	} {
		keyword := tt.keyword
		if keyword[0] != '{' {
			keyword = "{" + keyword + "}"
		}
		for around, inverted := range map[string]bool{
			"{type: %s, allOf: [%s]}": false, "{type: %s, anyOf: [%s]}": false, "{type: %s, oneOf: [%s]}": false, "{type: %s, not: %s}": true,
			"{type: %s, " + keyword[1:] + "%.0s": false,
		} {
			text := fmt.Sprintf(around, tt.typ, keyword)
			n := mustNode(t, text)
			for list, want := range map[string]bool{tt.valid: !inverted, tt.invalid: inverted} {
				values, err := testkit.DecodeJSON([]byte(list))
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range values.([]any) {
					if got := validEverywhere(t, n, v); got != want {
						t.Errorf("%s admits %v: %t", text, v, got)
					}
				}
			}
		}
	}
}

// TestJunctors compares with the number of branches that a value satisfies.
func TestJunctors(t *testing.T) {
	const branches = "[{enum: [a, b, 1, 2, true]}, {enum: [b, c, 2, 3, true]}, {enum: [b, c, d, 2, 4]}]"
	satisfied := map[any]int{"a": 1, "b": 3, "c": 2, "d": 1, "e": 0, int64(1): 1, int64(2): 3, int64(3): 1, int64(4): 1, int64(5): 0, true: 2, false: 0, 0.5: 0}
	for junctor, admits := range map[string]func(n int) bool{
		"allOf": func(n int) bool { return n == 3 },
		"anyOf": func(n int) bool { return n > 0 },
		"oneOf": func(n int) bool { return n == 1 },
	} {
		n := mustNode(t, "{x-kubernetes-preserve-unknown-fields: true, "+junctor+": "+branches+"}")
		inverted := mustNode(t, "{x-kubernetes-preserve-unknown-fields: true, not: {"+junctor+": "+branches+"}}")
		for v, count := range satisfied {
			if got := validEverywhere(t, n, v); got != admits(count) {
				t.Errorf("%s admits %v, which satisfies %d branches: %t", junctor, v, count, got)
			}
			if got := validEverywhere(t, inverted, v); got == admits(count) {
				t.Errorf("not %s admits %v, which satisfies %d branches: %t", junctor, v, count, got)
			}
			if got := n.ValidWhole(v); got != admits(count) || !n.ChecksWhole() {
				t.Errorf("ValidWhole(%v) of %s = %t", v, junctor, got)
			}
		}
		if !n.Valid(nil) && n.Accept&Null != 0 {
			t.Errorf("%s applies to null", junctor)
		}
	}
}

// TestLimitTypes compares bounds of both types at, below and above the bound.
func TestLimitTypes(t *testing.T) {
	for _, bound := range []float64{-2, -1, 0, 1, 2} {
		for _, exclusive := range []bool{false, true} {
			l := Limit{Bound: schema.Bound{Value: bound, Exclusive: exclusive, Set: true}, Int: int64(bound)}
			for v := int64(-4); v <= 4; v++ {
				f := float64(v)
				high, low := f > bound || exclusive && f == bound, f < bound || exclusive && f == bound
				off := bound <= 0 || math.Mod(f, bound) != 0
				for name, c := range map[string]struct{ got, want bool }{
					"TooHighInt": {l.TooHighInt(v), high}, "TooHighFloat": {l.TooHighFloat(f), high},
					"TooLowInt": {l.TooLowInt(v), low}, "TooLowFloat": {l.TooLowFloat(f), low},
					"NotMultipleInt": {l.NotMultipleInt(v), off}, "NotMultipleFloat": {l.NotMultipleFloat(f), off},
				} {
					if c.got != c.want {
						t.Errorf("%s(%d) of %+v = %t", name, v, l.Bound, c.got)
					}
				}
			}
		}
	}
}

// TestStructuralKeywords has keywords that depend on the declared type, or that
// branches do not have.
func TestStructuralKeywords(t *testing.T) {
	for _, tt := range []struct{ text, valid, invalid string }{
		{"{type: integer, maximum: 1.5}", `[]`, `[0,1,2,1.0]`},
		{"{type: integer, minimum: 0.5}", `[]`, `[0,1,2,1.0]`},
		{"{type: number, format: float}", `[1.5,3e38,1]`, `[4e38,1e300]`},
		{"{type: integer, format: int32}", `[2147483647,-2147483648]`, `[2147483648,-2147483649]`},
		{"{type: integer, format: int32, maximum: 2147483648}", `[]`, `[0]`},
		{"{type: number, maximum: 1.5}", `[0,1,1.5]`, `[2,1.75]`},
		{"{type: array, x-kubernetes-list-type: set, items: {type: string}}", `[[],["a"],["a","b"]]`, `[["a","a"],["a","b","a"]]`},
		{"{type: array, x-kubernetes-list-type: set, minItems: 1, items: {type: string}}", `[["a"],["a","b"]]`, `[[],["a","a"]]`},
		{"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}", `[[],[{"k":"a"}],[{"k":"a"},{"k":"b"},{}]]`, `[[{"k":"a"},{"k":"a"}],[{},{}]]`},
		{"{type: array, x-kubernetes-list-type: atomic, items: {type: string}}", `[["a","a"]]`, `[["a",1]]`},
		{"{type: object, additionalProperties: false, properties: {a: {type: string}}}", `[{},{"a":"b"}]`, `[{"b":"a"},{"a":"b","b":"a"}]`},
	} {
		n := mustNode(t, tt.text)
		for list, want := range map[string]bool{tt.valid: true, tt.invalid: false} {
			values, err := testkit.DecodeJSON([]byte(list))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range values.([]any) {
				if got := validEverywhere(t, n, v); got != want {
					t.Errorf("%s admits %v: %t", tt.text, v, got)
				}
				if list, ok := v.([]any); ok && n.List != nil && n.List.Allows(len(list)) && n.Distinct(v) != n.List.Distinct(list) {
					t.Errorf("%s: Distinct(%v) = %t", tt.text, v, n.Distinct(v))
				}
			}
		}
	}
}

// A server checks the formats of the version before its own.
func TestFormatVersions(t *testing.T) {
	s, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "string", Format: "k8s-short-name"}, schemaopt.Unstructured{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for minor, want := range map[int]bool{33: true, 34: true, 35: false, 36: false} {
		if got := New(s, Config{Minor: minor}).Valid("A"); got != want {
			t.Errorf("version 1.%d admits a wrong name: %t", minor, got)
		}
	}
}
