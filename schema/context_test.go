package schema_test

import (
	"fmt"
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
