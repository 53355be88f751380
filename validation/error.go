package validation

import (
	"cmp"
	"slices"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Step names the part of a request's checks that found an error.
type Step string

const (
	StepTypeMeta   Step = "type-meta"   // apiVersion and kind of the object
	StepObjectMeta Step = "object-meta" // metadata of the object
	StepSchema     Step = "schema"      // types and value validations
	StepScale      Step = "scale"       // paths of the scale subresource
	StepEmbedded   Step = "embedded"    // embedded resources
	StepListType   Step = "list-type"   // x-kubernetes-list-type
	StepRules      Step = "rules"       // x-kubernetes-validations
)

// fieldError gives the embedded field another name than Error, so that the
// promoted method Error stays visible.
type fieldError = field.Error

// An Error is one reason why an object is not acceptable: what kube-apiserver
// reports, byte for byte (the promoted Type, Field, BadValue and Detail), and
// what it does not say.
//
// An Error is not changed after it is returned. BadValue may be a part of the
// object that was checked.
type Error struct {
	*fieldError

	// Pointer is where in the object the trouble is, as a JSON Pointer (RFC
	// 6901). It is more exact than Field, which for junctors is the root.
	Pointer string
	// Step is the part of the checks that found the error.
	Step Step
	// SchemaPointer is the place in the schema, as a JSON Pointer from its root; ""
	// if no schema made the demand.
	SchemaPointer string
	// Rule is the index of the rule in x-kubernetes-validations at Schema, -1
	// for errors that are not from a rule.
	Rule int
}

// NewError returns err with what is known about it. The Rule is -1.
func NewError(err *field.Error, step Step, pointer, schema string) *Error {
	return &Error{fieldError: err, Step: step, Pointer: pointer, SchemaPointer: schema, Rule: -1}
}

// FieldError returns the error as kube-apiserver reports it.
func (e *Error) FieldError() *field.Error { return e.fieldError }

// Unwrap returns the error as kube-apiserver reports it.
func (e *Error) Unwrap() error { return e.fieldError }

// An ErrorList is what is wrong with an object; an empty one is a clean bill.
type ErrorList []*Error

// Field returns the errors as kube-apiserver reports them, in the same order.
func (l ErrorList) Field() field.ErrorList {
	if len(l) == 0 {
		return nil
	}
	out := make(field.ErrorList, len(l))
	for i, e := range l {
		out[i] = e.fieldError
	}
	return out
}

// Err returns an aggregate of the errors, nil if there are none.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return utilerrors.NewAggregate(errs)
}

// BlocksRules reports whether rules must not run because of these errors: one
// of them is Required, TypeInvalid, TooLong, TooMany or NotSupported, so that
// values may not be what rules take them for.
func (l ErrorList) BlocksRules() bool {
	return slices.ContainsFunc(l, func(e *Error) bool {
		switch e.Type {
		case field.ErrorTypeRequired, field.ErrorTypeTypeInvalid, field.ErrorTypeTooLong,
			field.ErrorTypeTooMany, field.ErrorTypeNotSupported:
			return true
		}
		return false
	})
}

// Sort orders the list by field, type and detail, and leaves equal errors as
// they are. Every list that crdkit returns is sorted.
func (l ErrorList) Sort() {
	if len(l) < 2 {
		return
	}
	slices.SortStableFunc(l, func(a, b *Error) int {
		if c := strings.Compare(a.Field, b.Field); c != 0 {
			return c
		}
		return cmp.Or(
			cmp.Compare(a.Type, b.Type),
			strings.Compare(a.Detail, b.Detail),
			strings.Compare(a.Pointer, b.Pointer),
		)
	})
}
