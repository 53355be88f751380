// Package requestopt holds the request options that only packages patch and apply use.
package requestopt

import (
	"cmp"
	"fmt"

	"github.com/crdkit/crdkit/internal/test/testopt"
)

// Patched makes UpdateJSON and UpdateStatusJSON handle their input as the result of a patch,
// as the server does for PATCH:
//
//   - A result that cannot be decoded, or that strict decoding refuses, is 422 Invalid with
//     the field patch.
//   - A result of another version is refused by validation.
//   - A result without metadata.resourceVersion is refused if the old object has one.
//
// CreateJSON returns an error for this option.
type Patched struct {
	// Complaints are the errors of strict decoding in the patch itself, such as `json patch
	// unknown field "[0].pth"`. They come before errors of the object.
	Complaints []string
}

func (Patched) JSONOption(testopt.Sealed) {}

// Merged makes Create, Update and UpdateStatus handle their object as the result of
// server-side apply, which is already decoded, pruned and defaulted. The JSON methods return
// an error for this option.
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
// Warn if there is none. It returns an error for an unknown value.
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

// Check returns an error for an unknown crdkit.FieldValidation.
func Check[F ~string](f F) error {
	switch f {
	case warn, ignore, strict:
		return nil
	}
	return fmt.Errorf("crdkit: field validation is %q, want %q, %q or %q", f, warn, ignore, strict)
}
