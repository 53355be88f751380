package validation_test

import (
	"strconv"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// TestPollsOfEntries: the names of entries that are not declared are sorted with polls, and
// each entry is checked with one.
func TestPollsOfEntries(t *testing.T) {
	const n = 3000
	root, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"m": {
		Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}},
	}}})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	obj := map[string]any{}
	for i := range n {
		obj[strconv.Itoa(i)] = "x"
	}
	ctx := testkit.EndingContext(1 << 30)
	res := validation.New(root).ValidateCreate(map[string]any{"m": obj}, validation.WithContext(ctx))
	if len(res.Errors) != n {
		t.Fatalf("%d errors, want %d", len(res.Errors), n)
	}
	// Twice while they are sorted, then for the check and for the texts.
	if all, want := ctx.Polls(), 4*n/interrupt.Interval; all < want {
		t.Errorf("%d polls, want at least %d", all, want)
	}
}
