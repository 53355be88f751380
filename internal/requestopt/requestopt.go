// Package requestopt holds the options of requests that packages patch and apply pass to
// package crdkit, and no other module can.
package requestopt

import (
	"cmp"
	"fmt"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// Patched makes UpdateJSON and UpdateStatusJSON take their input for the result of a
// patch, as the server does for PATCH:
//
//   - A result that cannot be decoded, or that strict decoding refuses, is 422 Invalid with
//     the field patch.
//   - Validation judges a result of another version.
//   - A result without metadata.resourceVersion is refused if the old object has one.
//
// It is an error for CreateJSON.
type Patched struct {
	// Complaints are what strict decoding found in the patch itself, such as
	// `json patch unknown field "[0].pth"`. They come before those about the result.
	Complaints []string
}

func (Patched) JSONOption(testopt.Sealed) {}

// Merged makes Create, Update and UpdateStatus take their object for the result of
// server-side apply: the request begins after the object was decoded, pruned and
// defaulted. It is an error for the JSON forms.
type Merged struct{}

func (Merged) JSONOption(testopt.Sealed) {}

func (Merged) RequestOption(testopt.Sealed) {}

// The values of crdkit.FieldValidation.
const (
	warn   = "Warn"
	ignore = "Ignore"
	strict = "Strict"
)

// FieldValidation returns the last crdkit.FieldValidation among the options of a request,
// Warn if there is none. It returns an error for a value that does not exist.
func FieldValidation[F ~string, O any](opts []O) (F, error) {
	var last F
	for _, opt := range opts {
		if f, ok := any(opt).(F); ok {
			last = f
		}
	}
	last = cmp.Or(last, warn)
	return last, Check(last)
}

// Check returns an error for a crdkit.FieldValidation that does not exist.
func Check[F ~string](f F) error {
	switch f {
	case warn, ignore, strict:
		return nil
	}
	return fmt.Errorf("crdkit: field validation is %q, want %q, %q or %q", f, warn, ignore, strict)
}
