package crdkit_test

import (
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// TestRefusalOfNil checks errors that are nil, or hold a nil pointer.
func TestRefusalOfNil(t *testing.T) {
	if r := crdkit.RefusalOf(nil); r != nil {
		t.Errorf("got %v for no error", r)
	}
	if r := crdkit.RefusalOf((*apierrors.StatusError)(nil)); r == nil || r.Code != http.StatusInternalServerError {
		t.Errorf("got %v for a nil pointer, want a refusal with 500", r)
	}
}
