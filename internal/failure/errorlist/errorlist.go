// Package errorlist joins lists of errors into one error, with the text that apimachinery gives
// them.
//
//	err := errorlist.Of(errs)                         // like errs.ToAggregate()
//	err := errorlist.Invalid(groupKind, name, errs)   // like apierrors.NewInvalid
//
// The time of apimachinery's aggregate grows with the square of the number of errors. The time of
// this package is linear.
//
// A text ends after [MaxText] bytes (errors/text in docs/DIFFERENCES.md).
package errorlist

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxText limits the bytes of errors in a text. The text ends with the number of omitted errors.
const MaxText = 4 << 20

type aggregate struct {
	errs []error
	more int // number of errors that are not in the list
}

// Of joins errors. It keeps one of several errors with equal texts. It returns nil if there are no
// errors.
func Of(errs field.ErrorList) utilerrors.Aggregate { return OfSome(errs, 0) }

// OfSome is [Of] for a list that is not complete. more is the number of omitted errors, which the
// text gives.
func OfSome(errs field.ErrorList, more int) utilerrors.Aggregate {
	if len(errs) == 0 {
		return nil
	}
	kept, _ := distinct(errs)
	return aggregate{kept, more}
}

// Join joins errors into one, or returns nil if there are none. No error may be nil. The result
// keeps errs. more is the number of omitted errors.
func Join(errs []error, more int) utilerrors.Aggregate {
	if len(errs) == 0 {
		return nil
	}
	return aggregate{errs, more}
}

// Error returns the distinct texts, separated by commas. Two or more texts are in brackets.
func (a aggregate) Error() string {
	if len(a.errs) == 1 && a.more == 0 {
		return a.errs[0].Error()
	}
	kept, texts := distinct(a.errs)
	return join("", texts, len(kept)-len(texts)+a.more)
}

// distinct returns the first error with each text, and the texts. After MaxText bytes of texts, it
// returns all further errors, but no texts.
func distinct[E error](errs []E) (kept []error, texts []string) {
	seen := make(map[string]bool, len(errs))
	size := 0
	for _, err := range errs {
		if size > MaxText {
			kept = append(kept, err)
			continue
		}
		text := err.Error()
		if !seen[text] {
			seen[text] = true
			size += len(text)
			kept, texts = append(kept, err), append(texts, text)
		}
	}
	return kept, texts
}

// join returns one text: prefix, then texts with commas and brackets, then the number of omitted
// errors.
func join(prefix string, texts []string, more int) string {
	if len(texts) == 1 && more == 0 {
		return prefix + texts[0]
	}
	rest := ""
	if more > 0 {
		rest = fmt.Sprintf(", and %d more errors", more)
	}
	size := len(prefix) + 2*len(texts) + len(rest)
	for _, text := range texts {
		size += len(text)
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(prefix)
	for i, text := range texts {
		if i == 0 {
			b.WriteByte('[')
		} else {
			b.WriteString(", ")
		}
		b.WriteString(text)
	}
	b.WriteString(rest)
	b.WriteByte(']')
	return b.String()
}

// Errors returns the errors. The caller must not change the list.
func (a aggregate) Errors() []error { return a.errs }

func (a aggregate) Is(target error) bool {
	for _, err := range a.errs {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// Unwrap returns the errors for errors.As. The caller must not change the list.
func (a aggregate) Unwrap() []error { return a.errs }

// Invalid returns the server's answer for an object with errors. Its text and its causes end after
// MaxText bytes. more is the number of omitted errors.
func Invalid(kind schema.GroupKind, name string, errs field.ErrorList, more int) *apierrors.StatusError {
	err := apierrors.NewInvalid(kind, name, nil)
	if len(errs) == 0 {
		return err
	}
	kept, texts := distinct(errs)
	err.ErrStatus.Message = join(err.ErrStatus.Message+": ", texts, len(kept)-len(texts)+more)
	err.ErrStatus.Details.Causes = causes(errs)
	return err
}

// causes returns the causes in the answer, up to MaxText bytes of messages.
func causes(errs field.ErrorList) []metav1.StatusCause {
	list := make([]metav1.StatusCause, 0, len(errs))
	size := 0
	for _, e := range errs {
		if size > MaxText {
			break
		}
		message := e.ErrorBody()
		size += len(message)
		list = append(list, metav1.StatusCause{Type: metav1.CauseType(e.Type), Message: message, Field: e.Field})
	}
	return list
}
