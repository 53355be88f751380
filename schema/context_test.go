package schema_test

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/schema"
)

// TestContextEndsCompile: Compile polls its context in proportion to the schema, and
// returns an internal error and no node wherever it ends.
func TestContextEndsCompile(t *testing.T) {
	const n = 1_000
	properties := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	branches := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}}}
	values := &apiextensionsv1.JSONSchemaProps{Type: "integer"}
	for i := range int64(n) {
		properties.Properties[fmt.Sprint(i)] = apiextensionsv1.JSONSchemaProps{Type: "string"}
		values.Enum = append(values.Enum, apiextensionsv1.JSON{Raw: []byte(fmt.Sprint(i))})
		branches.AnyOf = append(branches.AnyOf, apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {MinLength: &i}}})
	}
	enum := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": *values}}
	for _, tt := range []struct {
		name  string
		props *apiextensionsv1.JSONSchemaProps
		polls int
	}{
		{"properties", properties, n / interrupt.Interval},
		{"enum", enum, n / interrupt.Interval},
		// They are measured, checked, compiled, and checked for types, each with its property.
		{"branches", branches, 8 * n / interrupt.Interval},
	} {
		ctx := testkit.EndingContext(1 << 30)
		if _, errs := schema.Compile(tt.props, schema.WithContext(ctx)); len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		all := ctx.Polls()
		if all < tt.polls {
			t.Errorf("%s: %d polls, want at least %d", tt.name, all, tt.polls)
		}
		for _, after := range []int{0, 1, all / 4, all / 2, all - all/4, all - 1} {
			n, errs := schema.Compile(tt.props, schema.WithContext(testkit.EndingContext(after)))
			if n != nil || len(errs) != 1 || errs[0].Type != field.ErrorTypeInternal {
				t.Errorf("%s: after %d of %d polls: %v, %v", tt.name, after, all, n, errs.ToAggregate())
			}
		}
	}
}

// TestContextEndsRewriteDefaults: rewriting copies and compares defaults, and polls its
// context in proportion to them.
func TestContextEndsRewriteDefaults(t *testing.T) {
	const n = 1_000
	text := "[" + strings.Repeat("1,", n) + "1]"
	root, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}},
		Default: &apiextensionsv1.JSON{Raw: []byte(text)},
	}}})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	same := func(_ schema.Path, def any) any { return def }
	ctx := testkit.EndingContext(1 << 30)
	if root.RewriteDefaults(same, schema.WithContext(ctx)) != root {
		t.Error("a new tree although nothing changed")
	}
	if all, want := ctx.Polls(), 2*n/interrupt.Interval; all < want {
		t.Errorf("%d polls, want at least %d", all, want)
	}
	for after := range ctx.Polls() {
		ctx := testkit.EndingContext(after)
		if root.RewriteDefaults(same, schema.WithContext(ctx)); ctx.Polls() != after+1 {
			t.Errorf("%d polls after the end", ctx.Polls()-after)
		}
	}
}

// TestContextEndsDefault: copying a default polls in proportion to it.
func TestContextEndsDefault(t *testing.T) {
	const n = 1_000
	root := compile(t, "{type: object, properties: {a: {type: array, items: {type: integer}, default: ["+strings.Repeat("1,", n)+"]}}}")
	ctx := testkit.EndingContext(1 << 30)
	want, ok := root.Property("a").Default(schema.WithContext(ctx))
	if list, isList := want.([]any); !ok || !isList || len(list) != n || ctx.Polls() < n/interrupt.Interval {
		t.Fatalf("%T, %t, after %d polls", want, ok, ctx.Polls())
	}
	for after := range ctx.Polls() {
		if v, ok := root.Property("a").Default(schema.WithContext(testkit.EndingContext(after))); ok || v != nil {
			t.Errorf("%T, %t, after %d polls", v, ok, after)
		}
	}
}
