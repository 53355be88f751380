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
	props := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for i := range 1_000 {
		props.Properties[fmt.Sprint(i)] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	}
	ctx := testkit.EndingContext(1 << 30)
	if _, errs := schema.Compile(props, schema.WithContext(ctx)); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	all := ctx.Polls()
	if want := 1_000 / interrupt.Interval; all < want {
		t.Errorf("%d polls, want at least %d", all, want)
	}
	for _, after := range []int{0, 1, all / 2, all - 1} {
		n, errs := schema.Compile(props, schema.WithContext(testkit.EndingContext(after)))
		if n != nil || len(errs) != 1 || errs[0].Type != field.ErrorTypeInternal {
			t.Errorf("after %d of %d polls: %v, %v", after, all, n, errs.ToAggregate())
		}
	}
}
