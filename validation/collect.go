package validation

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/check"
	"github.com/crdkit/crdkit/internal/correlate"
)

// The collector finds every error of an object, as kube-apiserver reports it.
// It runs only when it is known that there are some.
//
// Which errors are reported depends on more than what is wrong, because of
// anyOf and oneOf: if no branch is satisfied, one branch is chosen and its
// errors are reported besides. It is the one in which most checks passed, so
// all checks are counted, also those of values that are right. The numbers
// follow the server, which counts every kind of check that applies to a value
// and once more for some of them; node says which.
//
// Errors of equal text are reported once. The text names the path and tells
// most of what is wrong; it is the detail of an error, or just the means to
// compare it.

// A run is the state of one walk over one object.
type run struct {
	place     place
	found     []finding
	ratcheted []finding // what was found in values that did not change
	counting  bool      // in a branch: counts are needed
	plain     bool      // no shortcuts
}

// A finding is an error and its text.
type finding struct {
	text string
	err  *Error
}

// inBody is how messages go on after the path.
const inBody = " in body "

// report adds an error about the current place. The text goes on after the
// path; it is the detail unless e has one or needs none.
func (r *run) report(e field.Error, rest string) {
	path := r.place.text()
	text := path + inBody + rest
	if e.Type == field.ErrorTypeInvalid || e.Type == field.ErrorTypeTypeInvalid {
		e.Detail = text
	}
	e.Field = r.place.fieldOf(path)
	r.add(text, &e)
}

// reportAtStart adds an error that is not assigned to a place.
func (r *run) reportAtStart(text string) {
	r.add(text, &field.Error{Type: field.ErrorTypeInvalid, Field: r.place.start(), BadValue: "", Detail: text})
}

func (r *run) add(text string, e *field.Error) {
	err := NewError(e, StepSchema, r.place.objectPointer(), r.place.schemaPointer())
	r.found = append(r.found, finding{text: text, err: err})
}

// node checks v, which corresponds to p. It returns the number of checks, and
// whether v is known to have changed.
//
// A value is checked for its type if one is declared, for junctors, enum and
// what applies to its kind. Each is counted once, and type, junctors, numbers
// and lists once more; a wrong type is not. The value itself counts once. Null
// counts only for its type.
func (r *run) node(n *check.Node, v any, p correlate.Pair) (count int, changed bool) {
	if n == nil {
		return 0, false
	}
	mark := len(r.found)
	kind := check.MaskOf(v)
	if n.Accept&kind == 0 {
		r.wrongType(n, kind)
	} else if kind == check.Null {
		count++
	} else if n.Type.Declared() {
		count += 2
	}
	switch {
	case kind == check.Null:
		r.enum(n, v)
	default:
		if n.Accept&kind == 0 {
			count++
		}
		count += r.nested(n, v) + 2 + 1 + 1 // junctors, enum, the value
		var c int
		switch v := v.(type) {
		case string:
			count += r.text(n, v) + 1
		case int64:
			r.int(n, v)
			count += 2
		case float64:
			r.float(n, v)
			count += 2
		case []any:
			c, changed = r.list(n, v, p)
			count += c + 2
		}
		r.enum(n, v)
		if obj, ok := v.(map[string]any); ok {
			c, changed = r.object(n, obj, p)
			count += c + 1
		}
	}
	if p.Correlated() && len(r.found) > mark {
		changed = r.ratchet(mark, p, changed)
	}
	return count, changed && p.Correlated()
}

// ratchet forgives what was found since mark if the value did not change.
// Comparing is saved if a part of it is known to have changed.
func (r *run) ratchet(mark int, p correlate.Pair, changed bool) bool {
	if changed || !p.Unchanged() {
		return true
	}
	r.ratcheted = append(r.ratcheted, r.found[mark:]...)
	r.found = r.found[:mark]
	return false
}

func (r *run) wrongType(n *check.Node, kind check.Mask) {
	want, got := n.Type.Refusal(kind)
	r.report(field.Error{Type: field.ErrorTypeTypeInvalid, BadValue: got},
		fmt.Sprintf("must be of type %s: %q", want, got))
}

func (r *run) enum(n *check.Node, v any) {
	if n.Enum == nil || n.Enum.Valid(v) {
		return
	}
	e := field.NotSupported(nil, v, n.Enum.Texts())
	r.report(*e, fmt.Sprintf("should be one of %v", n.Enum.Values))
}

// text checks a string and returns the count of its format. Length and pattern
// are checked up to the first failure.
func (r *run) text(n *check.Node, s string) int {
	t := n.Text
	if t == nil {
		return 0
	}
	switch {
	case t.TooLong(s):
		e := field.TooLong(nil, "", int(t.Max.N))
		r.report(*e, fmt.Sprintf("should be at most %d chars long", t.Max.N))
	case t.TooShort(s):
		r.invalid(s, fmt.Sprintf("should be at least %d chars long", t.Min.N))
	case !t.Matches(s):
		expr := t.Expr
		if t.BadExpr != "" {
			expr += ", but pattern is invalid: " + t.BadExpr
		}
		r.invalid(s, "should match '"+expr+"'")
	}
	if t.HasForm == nil {
		return 0
	}
	if !t.HasForm(s) {
		r.report(field.Error{Type: field.ErrorTypeTypeInvalid, BadValue: s},
			fmt.Sprintf("must be of type %s: %q", t.Format, s))
	}
	return 1
}

func (r *run) invalid(bad any, rest string) {
	r.report(field.Error{Type: field.ErrorTypeInvalid, BadValue: bad}, rest)
}

// important marks texts that are reported from every branch that fails, not
// just from the chosen one. No text of the server bears it, but a text begins
// with a path, and a property can have any name.
const important = "IMPORTANT!"

// keep appends what is important among findings of a branch to kept.
func (r *run) keep(kept, branch []finding) []finding {
	for _, f := range branch {
		text, ok := strings.CutPrefix(f.text, important)
		if !ok {
			continue
		}
		e := &field.Error{Type: field.ErrorTypeInvalid, Field: r.place.start(), BadValue: "", Detail: text}
		kept = append(kept, finding{text: text, err: NewError(e, StepSchema, f.err.Pointer, f.err.Schema)})
	}
	return kept
}
