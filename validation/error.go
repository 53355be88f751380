package validation

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
)

// A Step names the check of a request that found an error.
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

// fieldError renames the embedded field, which would hide the method Error.
type fieldError = field.Error

// An Error is one reason to refuse an object. Type, Field, BadValue and Detail
// are promoted from the [field.Error] that kube-apiserver reports. The other
// fields say what the server does not.
//
// An Error never changes after it is returned. BadValue may be a part of the object.
type Error struct {
	*fieldError

	// Pointer is the JSON Pointer (RFC 6901) of the value. Field is only the root for
	// junctors.
	Pointer string
	// Step is the check that found the error.
	Step Step
	// SchemaPointer is the JSON Pointer of the violated schema from the version's root, ""
	// if none declares the requirement.
	SchemaPointer string
	// Rule is the index in x-kubernetes-validations at SchemaPointer, -1 for other errors.
	Rule int

	failed *alternatives // nil unless the error is about an anyOf or a oneOf
}

// NewError returns an Error with Rule -1. err must not be nil. The Error keeps
// err, which must not be changed afterwards.
func NewError(err *field.Error, step Step, pointer, schema string) *Error {
	return &Error{fieldError: err, Step: step, Pointer: pointer, SchemaPointer: schema, Rule: -1}
}

// FieldError returns the error that kube-apiserver reports. It is read only.
func (e *Error) FieldError() *field.Error { return e.fieldError }

// Unwrap returns the same as [Error.FieldError].
func (e *Error) Unwrap() error { return e.fieldError }

// An ErrorList has the errors of an object. The empty list means valid.
type ErrorList []*Error

// Field returns the errors as kube-apiserver reports them, in the same order,
// or nil if there are none. The caller owns the list.
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
	return errorlist.Join(errs, 0)
}

// BlocksRules reports whether rules must not be evaluated because of these
// errors. That is so if one of them is Required, TypeInvalid, TooLong, TooMany
// or NotSupported: values may then not have their declared types.
func (l ErrorList) BlocksRules() bool {
	return slices.ContainsFunc(l, func(e *Error) bool { return blocksRules(e.Type) })
}

// BlocksRules reports whether rules must not be evaluated because of the errors or of
// omitted ones. See [ErrorList.BlocksRules].
func (res *Result) BlocksRules() bool { return res.omittedBlock || res.Errors.BlocksRules() }

func blocksRules(kind field.ErrorType) bool { return slices.Contains(blocking[:], kind) }

// blocking are the types of errors that keep rules from being evaluated.
var blocking = [...]field.ErrorType{field.ErrorTypeRequired, field.ErrorTypeTypeInvalid, field.ErrorTypeTooLong,
	field.ErrorTypeTooMany, field.ErrorTypeNotSupported}

// Sort sorts the list in place by field, type and detail. It is stable. Every
// list that crdkit returns is sorted.
func (l ErrorList) Sort() {
	if !slices.IsSortedFunc(l, compare) {
		slices.SortStableFunc(l, compare)
	}
}

func compare(a, b *Error) int {
	if c := strings.Compare(a.Field, b.Field); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(a.Type, b.Type),
		strings.Compare(a.Detail, b.Detail),
		strings.Compare(a.Pointer, b.Pointer),
	)
}
