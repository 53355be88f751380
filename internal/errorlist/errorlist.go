// Package errorlist joins lists of errors into one error, with the text that
// apimachinery gives them.
//
//	err := errorlist.Of(errs)                         // as errs.ToAggregate()
//	err := errorlist.Invalid(groupKind, name, errs)   // as apierrors.NewInvalid
//
// The aggregate of apimachinery appends each text to the text before it, so that the
// time to make the whole text grows with the square of the number of errors. The
// aggregate of this package takes linear time. The tests compare the texts of both.
package errorlist

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An aggregate is a list of at least one error.
type aggregate []error

// Of returns the errors as one error, nil for an empty list. It keeps the first of the
// errors that have equal texts.
func Of(errs field.ErrorList) utilerrors.Aggregate {
	if len(errs) == 0 {
		return nil
	}
	seen := make(map[string]bool, len(errs))
	var distinct aggregate
	for _, err := range errs {
		if text := err.Error(); !seen[text] {
			seen[text] = true
			distinct = append(distinct, err)
		}
	}
	return distinct
}

// Join returns the errors as one error, nil for an empty list. The errors must not be
// nil. The result keeps errs.
func Join(errs []error) utilerrors.Aggregate {
	if len(errs) == 0 {
		return nil
	}
	return aggregate(errs)
}

// Error returns the distinct texts of the errors, separated by commas, and within
// brackets if there are several.
func (a aggregate) Error() string {
	if len(a) == 1 {
		return a[0].Error()
	}
	seen := make(map[string]bool, len(a))
	var b strings.Builder
	b.WriteByte('[')
	for _, err := range a {
		text := err.Error()
		if seen[text] {
			continue
		}
		if len(seen) > 0 {
			b.WriteString(", ")
		}
		seen[text] = true
		b.WriteString(text)
	}
	if len(seen) == 1 {
		return b.String()[1:]
	}
	b.WriteByte(']')
	return b.String()
}

// Errors returns the errors. The caller must not change the list.
func (a aggregate) Errors() []error { return a }

// Is reports whether one of the errors is the target.
func (a aggregate) Is(target error) bool {
	for _, err := range a {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// Unwrap returns the errors, for errors.As. The caller must not change the list.
func (a aggregate) Unwrap() []error { return a }

// Invalid returns the answer of the server for an object with errors.
func Invalid(kind schema.GroupKind, name string, errs field.ErrorList) *apierrors.StatusError {
	err := apierrors.NewInvalid(kind, name, nil)
	if len(errs) == 0 {
		return err
	}
	err.ErrStatus.Message += ": " + Of(errs).Error()
	causes := make([]metav1.StatusCause, len(errs))
	for i, e := range errs {
		causes[i] = metav1.StatusCause{Type: metav1.CauseType(e.Type), Message: e.ErrorBody(), Field: e.Field}
	}
	err.ErrStatus.Details.Causes = causes
	return err
}
