package errorlist_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
)

// lists are lists of errors without and with repeated texts.
func lists() map[string]field.ErrorList {
	a, b := field.Required(field.NewPath("spec", "a"), "is missing"), field.Invalid(field.NewPath("spec", "b"), 5, "too large")
	forbidden := field.Forbidden(field.NewPath("spec"), "")
	return map[string]field.ErrorList{
		"none":           nil,
		"one":            {a},
		"two":            {a, b},
		"equal":          {a, a},
		"repeated first": {a, b, a, forbidden},
		"repeated last":  {a, b, b},
	}
}

func TestTextsAreThoseOfApimachinery(t *testing.T) {
	kind := schema.GroupKind{Group: "example.com", Kind: "Widget"}
	for name, list := range lists() {
		want, got := list.ToAggregate(), errorlist.Of(list)
		if (want == nil) != (got == nil) {
			t.Fatalf("%s: %v, want %v", name, got, want)
		}
		if want != nil {
			if diff := cmp.Diff(want.Error(), got.Error()); diff != "" {
				t.Errorf("%s: text (-want +got):\n%s", name, diff)
			}
			if len(got.Errors()) != len(want.Errors()) {
				t.Errorf("%s: %d errors, want %d", name, len(got.Errors()), len(want.Errors()))
			}
		}
		var errs []error
		for _, err := range list {
			errs = append(errs, err)
		}
		if want, got := utilerrors.NewAggregate(errs), errorlist.Join(errs, 0); want != nil && want.Error() != got.Error() {
			t.Errorf("%s: joined text %q, want %q", name, got, want)
		}
		if diff := cmp.Diff(apierrors.NewInvalid(kind, "w", list).ErrStatus, errorlist.Invalid(kind, "w", list, 0).ErrStatus); diff != "" {
			t.Errorf("%s: status (-want +got):\n%s", name, diff)
		}
	}
}

func TestErrorsOfAListAreFound(t *testing.T) {
	list := lists()["two"]
	err := fmt.Errorf("definition: %w", errorlist.Of(list))
	if !errors.Is(err, list[1]) {
		t.Error("errors.Is does not find the second error")
	}
	if errors.Is(err, field.Required(field.NewPath("other"), "")) {
		t.Error("errors.Is finds an error that is not in the list")
	}
	var found *field.Error
	if !errors.As(err, &found) || found != list[0] {
		t.Errorf("errors.As finds %v, want %v", found, list[0])
	}
	if errorlist.Join(nil, 0) != nil {
		t.Error("Join of nothing is not nil")
	}
}

func TestTextCountsOmittedErrors(t *testing.T) {
	list := lists()["two"]
	texts := map[string]string{
		"OfSome":  errorlist.OfSome(list, 7).Error(),
		"Join":    errorlist.Join([]error{list[0], list[1]}, 7).Error(),
		"Invalid": errorlist.Invalid(schema.GroupKind{Kind: "Widget"}, "w", list, 7).ErrStatus.Message,
	}
	for name, text := range texts {
		if !strings.HasSuffix(text, list[1].Error()+", and 7 more errors]") {
			t.Errorf("%s: %q does not count the omitted errors", name, text)
		}
	}
	if text, want := errorlist.OfSome(list[:1], 7).Error(), "["+list[0].Error()+", and 7 more errors]"; text != want {
		t.Errorf("one error: %q, want %q", text, want)
	}
}

func TestTextTakesLinearMemory(t *testing.T) {
	allocated := func(n int) uint64 {
		var list field.ErrorList
		for i := range n {
			list = append(list, field.Required(field.NewPath("spec").Index(i), "is missing"))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = errorlist.Of(list).Error()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(200)
	if small, large := allocated(200), allocated(1600); large > 12*small {
		t.Errorf("%d bytes for 200 errors, %d for 1600", small, large)
	}
}

// TestDifferenceErrorText tests errors/text of docs/DIFFERENCES.md.
func TestDifferenceErrorText(t *testing.T) {
	const length = 1 << 20
	var list field.ErrorList
	for i := range 10 {
		list = append(list, field.Invalid(field.NewPath("spec").Index(i), i, strings.Repeat("x", length)))
	}
	kind := schema.GroupKind{Group: "example.com", Kind: "Widget"}
	status := errorlist.Invalid(kind, "w", list, 0).ErrStatus
	for name, text := range map[string]string{"Of": errorlist.Of(list).Error(), "Invalid": status.Message} {
		if len(text) > errorlist.MaxText+2*length || !strings.HasSuffix(text, "x, and 6 more errors]") {
			t.Errorf("%s: a text of %d bytes that ends in %q", name, len(text), text[len(text)-30:])
		}
	}
	if n := len(status.Details.Causes); n != 4 {
		t.Errorf("%d causes, want 4", n)
	}
	if n := len(errorlist.Of(list).Errors()); n != 10 {
		t.Errorf("%d errors, want 10", n)
	}
	if text := list.ToAggregate().Error(); len(text) < 10*length {
		t.Errorf("the text of apimachinery has %d bytes; the difference is gone", len(text))
	}
}
