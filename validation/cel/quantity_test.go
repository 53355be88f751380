package cel_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// TestDifferenceQuantityExponent tests cel/quantity_exponent of docs/DIFFERENCES.md. The
// first rule compares what a quantity with the exponent becomes, the second asks whether
// there is one.
func TestDifferenceQuantityExponent(t *testing.T) {
	n, errs := schema.Compile(&apiextensionsv1.JSONSchemaProps{
		Type: "object",
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"q": {Type: "string"},
		},
		XValidations: apiextensionsv1.ValidationRules{
			{Rule: `quantity(self.q).compareTo(quantity("2")) != 0`},
			{Rule: `isQuantity(self.q)`},
		},
	})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, opts := range [][]cel.Option{nil, {testopt.Reference{}}} {
		p, errs := cel.Compile(n, opts...)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for text, want := range map[string]string{
			"1e10000":        "",
			"1e-10000":       "",
			"1E":             "",
			"1e4294967297":   "", // the server keeps 32 bits: 1e1
			"-3e2447483643":  "exponent 2447483643 of a quantity is not between -10000 and 10000",
			"1e10001":        "exponent 10001 of a quantity is not between -10000 and 10000",
			"1e-10001":       "exponent -10001 of a quantity is not between -10000 and 10000",
			"1e-99999999999": "exponent -99999999999 of a quantity is not between -10000 and 10000",
		} {
			errs := p.Eval(t.Context(), map[string]any{"q": text}).Errors
			switch {
			case want == "" && len(errs) > 0:
				t.Errorf("%s: %v", text, errs.Err())
			case want != "" && (len(errs) != 2 || !strings.Contains(errs.Err().Error(), want)):
				t.Errorf("%s: %v, want two errors, one of them with %q", text, errs.Err(), want)
			}
		}
	}
}
