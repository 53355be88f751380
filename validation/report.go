package validation

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlist"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

const inBody = " in body "

// begin starts the text of an error at the current path. The caller appends to it and passes
// it to end or invalid.
func (r *run) begin() []byte {
	b := r.stack.AppendText(r.buf[:0])
	r.path = len(b)
	return append(b, inBody...)
}

func (r *run) end(text []byte, e field.Error) { r.add(text, e, true) }

func (r *run) invalid(text []byte, bad any) {
	r.end(text, field.Error{Type: field.ErrorTypeInvalid, BadValue: bad})
}

// atStart adds an error at the path where validation starts. It returns nil if there are
// too many errors.
func (r *run) atStart(text []byte) *Error {
	return r.add(text, field.Error{Type: field.ErrorTypeInvalid, BadValue: ""}, false)
}

// A located holds an Error and its field.Error in one allocation.
type located struct {
	err   Error
	field field.Error
}

// add adds an error. The text becomes the detail if the type has no detail of its own. The
// field is the current path if placed is true, else the start of the walk. All strings share
// one allocation. add returns nil if the limit is reached.
func (r *run) add(text []byte, e field.Error, placed bool) *Error {
	if placeholder := r.limit.placeholder(len(r.found), e.Type); placeholder != nil {
		r.found = append(r.found, finding{err: placeholder})
		return nil
	}
	b := r.stack.AppendPointer(text)
	pointer := len(b)
	b = r.stack.AppendSchemaPointer(b)
	r.buf = b
	all := string(b)

	x := &located{field: e}
	x.err = Error{fieldError: &x.field, Pointer: all[len(text):pointer], Step: StepSchema, SchemaPointer: all[pointer:], Rule: -1}
	if placed {
		x.field.Field = r.stack.FieldOf(all[:r.path])
	} else {
		x.field.Field = r.stack.StartField()
	}
	if e.Type == field.ErrorTypeInvalid || e.Type == field.ErrorTypeTypeInvalid {
		x.field.Detail = all[:len(text)]
	}
	r.found = append(r.found, finding{text: all[:len(text)], err: &x.err})
	return &x.err
}

func (r *run) keepImportant(kept *[]finding, branch []finding) {
	for _, f := range branch {
		text, ok := strings.CutPrefix(f.text, leafcheck.Important)
		if !ok {
			continue
		}
		x := finding{err: r.limit.placeholder(len(*kept), field.ErrorTypeInvalid)}
		if x.err == nil {
			e := &field.Error{Type: field.ErrorTypeInvalid, Field: r.stack.StartField(), BadValue: "", Detail: text}
			x = finding{text: text, err: NewError(e, StepSchema, f.err.Pointer, f.err.SchemaPointer)}
		}
		*kept = append(*kept, x)
	}
}

// firstOfEachText returns the first error of each text. It skips placeholders.
func firstOfEachText(found []finding) ErrorList {
	if len(found) == 0 {
		return nil
	}
	errs := make(ErrorList, 0, len(found))
	seen := make(map[string]struct{}, len(found))
	for _, f := range found {
		if _, ok := seen[f.text]; ok || f.err.omitted() {
			continue
		}
		seen[f.text] = struct{}{}
		errs = append(errs, f.err)
	}
	return errs
}

// takeBack removes and returns r.found[before:]. The next finding overwrites the result.
func (r *run) takeBack(before int) []finding {
	taken := r.found[before:]
	r.found = r.found[:before]
	return taken
}

// join merges the last two findings if both are placeholders of the same type.
func (r *run) join() {
	last := len(r.found) - 1
	if last > r.mark && r.found[last].err.omitted() && r.found[last].err == r.found[last-1].err {
		r.found[last-1].more += 1 + r.found[last].more
		r.found = r.found[:last]
	}
}

func (r *run) restore(taken []finding) {
	for _, x := range taken {
		if placeholder := r.limit.placeholder(len(r.found), x.err.Type); placeholder != nil {
			x = finding{err: placeholder, more: x.more}
		}
		r.found = append(r.found, x)
	}
}

// A limit bounds each list of errors. In a full list, placeholders that have only a type
// stand for omitted errors.
type limit struct {
	most         int // 0: any number
	placeholders map[field.ErrorType]*Error
}

func (l *limit) holds(n int) bool { return l.most <= 0 || n < l.most }

// placeholder returns the placeholder for one more error in a list of n errors, nil if there
// is room.
func (l *limit) placeholder(n int, kind field.ErrorType) *Error {
	if l.holds(n) {
		return nil
	}
	if l.placeholders[kind] == nil {
		if l.placeholders == nil {
			l.placeholders = map[field.ErrorType]*Error{}
		}
		l.placeholders[kind] = &Error{fieldError: &field.Error{Type: kind}}
	}
	return l.placeholders[kind]
}

// omitted reports whether e stands for an error over the limit.
func (e *Error) omitted() bool { return e.Step == "" }

// A Step is the check that found an error.
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

// fieldError is a name for the embedded field. The name Error would hide the method Error.
type fieldError = field.Error

// An Error is one reason to refuse an object. Type, Field, BadValue and Detail are promoted
// from the [field.Error] that kube-apiserver reports. The server does not report the other
// fields.
//
// An Error never changes after it is returned. BadValue may be a part of the object.
type Error struct {
	*fieldError

	// Pointer is the JSON Pointer (RFC 6901) of the value, also for errors of allOf, anyOf,
	// oneOf and not, whose Field is the root.
	Pointer string
	// Step is the check that found the error.
	Step Step
	// SchemaPointer is the JSON Pointer of the violated schema in the schema of the version,
	// "" if no schema declares the requirement.
	SchemaPointer string
	// Rule is the index in x-kubernetes-validations at SchemaPointer, -1 if there is no
	// rule.
	Rule int

	failed *alternatives // for errors of anyOf and oneOf
}

// NewError returns an Error with Rule -1. err must not be nil. The Error keeps
// err, which must not be changed afterwards.
func NewError(err *field.Error, step Step, pointer, schema string) *Error {
	return &Error{fieldError: err, Step: step, Pointer: pointer, SchemaPointer: schema, Rule: -1}
}

// FieldError returns the error that kube-apiserver reports. The caller must not change it.
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

// BlocksRules reports whether these errors prevent the evaluation of rules. An error of type
// Required, TypeInvalid, TooLong, TooMany or NotSupported does: values may then not have
// their declared types.
func (l ErrorList) BlocksRules() bool {
	return slices.ContainsFunc(l, func(e *Error) bool { return blocksRules(e.Type) })
}

// BlocksRules is [ErrorList.BlocksRules] for the errors, including omitted errors.
func (res *Result) BlocksRules() bool { return res.omittedBlock || res.Errors.BlocksRules() }

func blocksRules(kind field.ErrorType) bool { return slices.Contains(blocking[:], kind) }

// blocking are the types of errors that prevent the evaluation of rules.
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
