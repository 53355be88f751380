package validation

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

// inBody follows the path in messages.
const inBody = " in body "

// begin starts the text of an error at the current location. The caller
// appends to it and passes it to end or invalid.
func (r *run) begin() []byte {
	b := r.stack.AppendText(r.buf[:0])
	r.path = len(b)
	return append(b, inBody...)
}

// end adds an error with a text from begin.
func (r *run) end(text []byte, e field.Error) { r.add(text, e, true) }

// invalid adds an error of type Invalid with a text from begin.
func (r *run) invalid(text []byte, bad any) {
	r.end(text, field.Error{Type: field.ErrorTypeInvalid, BadValue: bad})
}

// atStart adds an error whose field is the start of the walk.
func (r *run) atStart(text []byte) {
	r.add(text, field.Error{Type: field.ErrorTypeInvalid, BadValue: ""}, false)
}

// A located has an Error and its field.Error in one allocation.
type located struct {
	err   Error
	field field.Error
}

// add adds an error. The text becomes its detail, unless the type of the error
// has a detail of its own. All strings of the error share one allocation. It returns nil
// if the run holds enough errors.
func (r *run) add(text []byte, e field.Error, placed bool) *Error {
	if !r.bounds.holds(len(r.found)) {
		r.omitted.add(e.Type)
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

// keepImportant appends the important errors among the findings of a branch to
// kept. See [leafcheck.Important].
func (r *run) keepImportant(kept *failures, branch failures) {
	for _, f := range branch.found {
		text, ok := strings.CutPrefix(f.text, leafcheck.Important)
		if !ok {
			continue
		}
		if !r.bounds.holds(len(kept.found)) {
			kept.omitted.add(field.ErrorTypeInvalid)
			continue
		}
		e := &field.Error{Type: field.ErrorTypeInvalid, Field: r.stack.StartField(), BadValue: "", Detail: text}
		kept.found = append(kept.found, finding{text: text, err: NewError(e, StepSchema, f.err.Pointer, f.err.SchemaPointer)})
	}
}

// few is the largest number of findings that are compared pairwise.
const few = 8

// firstOfEachText returns the first finding of each text.
func firstOfEachText(found []finding) ErrorList {
	if len(found) == 0 {
		return nil
	}
	errs := make(ErrorList, 0, len(found))
	if len(found) <= few {
		for i, f := range found {
			if !hasText(found[:i], f.text) {
				errs = append(errs, f.err)
			}
		}
		return errs
	}
	seen := make(map[string]struct{}, len(found))
	for _, f := range found {
		if _, ok := seen[f.text]; ok {
			continue
		}
		seen[f.text] = struct{}{}
		errs = append(errs, f.err)
	}
	return errs
}

func hasText(found []finding, text string) bool {
	for _, f := range found {
		if f.text == text {
			return true
		}
	}
	return false
}

// A tally counts errors that are not held.
type tally struct {
	n           int
	blocksRules bool
}

func (t *tally) add(kind field.ErrorType) {
	t.n++
	t.blocksRules = t.blocksRules || blocksRules(kind)
}

func (t *tally) join(other tally) {
	t.n += other.n
	t.blocksRules = t.blocksRules || other.blocksRules
}

// failures are the errors of a part of a walk.
type failures struct {
	found   []finding
	omitted tally
}

// none reports whether there are no errors.
func (f *failures) none() bool { return len(f.found) == 0 && f.omitted.n == 0 }

// A mark is a moment of a walk.
type mark struct {
	found   int
	omitted tally
}

func (r *run) mark() mark { return mark{len(r.found), r.omitted} }

func (r *run) foundSince(m mark) bool { return len(r.found) > m.found || r.omitted.n > m.omitted.n }

// since takes the errors since m back. The next error overwrites them.
func (r *run) since(m mark) failures {
	f := failures{found: r.found[m.found:]}
	if n := r.omitted.n - m.omitted.n; n > 0 {
		f.omitted = tally{n, r.omitted.blocksRules}
	}
	r.found, r.omitted = r.found[:m.found], m.omitted
	return f
}

// restore adds errors that were taken back.
func (r *run) restore(f failures) {
	for _, x := range f.found {
		if !r.bounds.holds(len(r.found)) {
			r.omitted.add(x.err.Type)
			continue
		}
		r.found = append(r.found, x)
	}
	r.omitted.join(f.omitted)
}
