package crdkit_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/validation"
)

// TestErrOfResultsThatNameNoObject checks results that no request has made.
func TestErrOfResultsThatNameNoObject(t *testing.T) {
	failed := validation.NewError(field.Required(field.NewPath("spec"), ""), validation.StepSchema, "/spec", "")
	for _, tt := range []struct {
		res  crdkit.Result
		want string
	}{
		{crdkit.Result{}, "<nil>"},
		{crdkit.Result{Refusal: &crdkit.Refusal{Code: 400, Message: "no"}}, "no"},
		{crdkit.Result{Errors: validation.ErrorList{failed}}, ` "" is invalid: spec: Required value`},
	} {
		if got := fmt.Sprint(tt.res.Err()); got != tt.want {
			t.Errorf("Err() = %q, want %q", got, tt.want)
		}
	}
}
