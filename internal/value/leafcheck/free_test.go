package leafcheck

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// TestAlwaysValid checks AlwaysValid: each value of a kind that it returns is valid, if the type
// accepts the kind.
func TestAlwaysValid(t *testing.T) {
	values := []any{nil, true, false, int64(0), int64(-1), int64(1 << 40), 1.0, 1.5, -1e300, "", "a", "a long string"}
	const scalars = Null | Bool | Int | Float | String
	for _, tt := range []struct {
		text string
		want Mask // apart from kinds that the type does not accept
	}{
		{"{x-kubernetes-preserve-unknown-fields: true}", scalars},
		{"{type: string}", String},
		{"{type: string, nullable: true}", String | Null},
		{"{type: string, maxLength: 3}", 0},
		{"{type: string, enum: [a]}", 0},
		{"{type: integer}", Int},
		{"{type: integer, format: int32}", 0},
		{"{type: integer, format: int64}", Int},
		{"{type: integer, minimum: 0}", 0},
		{"{type: number}", Int | Float},
		{"{type: number, format: float}", Int},
		{"{type: number, multipleOf: 2}", 0},
		{"{type: number, anyOf: [{type: number}]}", Int | Float},
		{"{type: number, anyOf: [{type: integer}]}", Int},
		{"{type: boolean}", Bool},
		{"{type: boolean, not: {enum: [true]}}", 0},
		{"{x-kubernetes-int-or-string: true}", Int | Whole | String},
		{"{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}", Int | String},
		{"{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], maxLength: 3}", Int},
		{"{x-kubernetes-int-or-string: true, allOf: [{maximum: 5}]}", String},
		{"{type: string, nullable: true, allOf: [{maxLength: 5}, {minLength: 0}]}", Null},
		{"{type: string, oneOf: [{maxLength: 5}]}", 0},
	} {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(tt.text), &props); err != nil {
			t.Fatal(err)
		}
		s, errs := schema.Compile(&props, schemaopt.Unstructured{})
		if len(errs) > 0 {
			t.Fatalf("%s: %v", tt.text, errs)
		}
		n := New(s, Config{Minor: 37})
		free := n.AlwaysValid() & n.Accept & scalars
		if free != tt.want {
			t.Errorf("%s: free kinds are %b, want %b", tt.text, free, tt.want)
		}
		for _, v := range values {
			if free&MaskOf(v) != 0 && !n.Valid(v) {
				t.Errorf("%s: %v is of a free kind, but not valid", tt.text, v)
			}
		}
	}
}

// ValidInt agrees with Valid. ValidWhole agrees with Valid for values that
// satisfy all other keywords.
func TestValidParts(t *testing.T) {
	for _, text := range []string{
		"{type: integer, minimum: 2}", "{type: integer, enum: [2, 3]}", "{type: integer, anyOf: [{maximum: 1}, {minimum: 3}]}", "{type: string}", "{type: number}",
	} {
		var props apiextensionsv1.JSONSchemaProps
		if err := yaml.UnmarshalStrict([]byte(text), &props); err != nil {
			t.Fatal(err)
		}
		s, errs := schema.Compile(&props, schemaopt.Unstructured{})
		if len(errs) > 0 {
			t.Fatalf("%s: %v", text, errs)
		}
		n := New(s, Config{Minor: 37})
		for v := int64(0); v < 5; v++ {
			if n.ValidInt(v) != n.Valid(v) {
				t.Errorf("%s: ValidInt(%d) = %t", text, v, n.ValidInt(v))
			}
			if n.Accept&Int != 0 && n.Number == nil && n.ValidWhole(v) != n.Valid(v) {
				t.Errorf("%s: ValidWhole(%d) = %t", text, v, n.ValidWhole(v))
			}
		}
		if !n.ChecksWhole() && (n.Enum != nil || n.Nested != nil) {
			t.Errorf("%s: ChecksWhole = false", text)
		}
	}
}
