package validation

import (
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/pathstack"
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

// What is known to be valid is left out of the walk, unless checks are counted.
// A value below which there are errors is then looked at twice or more, so that
// is done only a few times on the way from the root to an error.

// A run is the state of one walk over one object.
type run struct {
	stack       pathstack.Stack
	found       []finding
	ratcheted   []finding // what was found in values that did not change
	counting    bool      // in a branch: counts are needed
	checkAll    bool      // no shortcuts
	validMisses int       // values above that were taken for valid in vain

	buf  []byte // for texts
	path int    // how much of buf is the path

	// Where slices begin, so that most walks need no memory for them.
	steps [16]pathstack.Step
	first [4]finding
	bytes [256]byte
}

// A finding is an error and its text.
type finding struct {
	text string
	err  *Error
}

// maxMisses is how many values above an error may be taken for valid in vain.
const maxMisses = 4

// start begins a walk over v, which is known to be invalid.
func (r *run) start(n *leafcheck.Node, v any, p correlate.Pair) {
	r.stack.Steps, r.found, r.buf = r.steps[:0], r.first[:0], r.bytes[:0]
	if n != nil {
		r.check(n, v, p)
	}
}

// checkUnlessValid checks v, which corresponds to p. It returns the number of checks, and
// whether v is known to have changed.
func (r *run) checkUnlessValid(n *leafcheck.Node, v any, p correlate.Pair) (count int, changed bool) {
	if r.counting || r.checkAll {
		return r.check(n, v, p)
	}
	if r.validMisses == maxMisses && isContainer(v) {
		return r.check(n, v, p)
	}
	if n.Valid(v) {
		return 0, false
	}
	r.validMisses++
	_, changed = r.check(n, v, p)
	r.validMisses--
	return 0, changed
}

func isContainer(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

// check does what node does, without shortcut.
//
// A value is checked for its type if one is declared, for junctors, enum and
// what applies to its kind. Each is counted once, and type, junctors, numbers
// and lists once more; a wrong type is not. The value itself counts once. Null
// counts only for its type.
func (r *run) check(n *leafcheck.Node, v any, p correlate.Pair) (count int, changed bool) {
	mark := len(r.found)
	kind := leafcheck.MaskOf(v)
	switch {
	case n.Accept&kind == 0:
		r.wrongType(n, kind)
		count = 1
	case n.Type.Declared():
		count = 2
	}
	if kind == leafcheck.Null {
		count = 0
		if n.Accept&kind != 0 {
			count = 1
		}
		r.enum(n, v)
	} else {
		count += r.nested(n, v) + 2 // and junctors
		var c int
		c, changed = r.kind(n, v, p)
		count += c + 1 + 1 // and enum, and the value
	}
	if p.Correlated() && len(r.found) > mark {
		changed = r.ratchet(mark, p, changed)
	}
	return count, changed && p.Correlated()
}

// kind checks v for what applies to values of its kind, and for enum, which
// comes after all but the properties of an object.
func (r *run) kind(n *leafcheck.Node, v any, p correlate.Pair) (count int, changed bool) {
	switch t := v.(type) {
	case string:
		count = r.text(n, t, v) + 1
	case int64:
		r.int(n, t, v)
		count = 2
	case float64:
		r.float(n, t, v)
		count = 2
	case []any:
		count, changed = r.list(n, t, p)
		count += 2
	}
	r.enum(n, v)
	if obj, ok := v.(map[string]any); ok {
		count, changed = r.object(n, obj, p)
		count++
	}
	return count, changed
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

func (r *run) wrongType(n *leafcheck.Node, kind leafcheck.Mask) {
	want, got := n.Type.Refusal(kind)
	name, _ := got.(string)
	r.mistyped(want, name, got)
}

// mistyped reports a wrong type, or a wrong format, which is one.
func (r *run) mistyped(want, got string, bad any) {
	b := append(r.begin(), "must be of type "...)
	b = append(append(b, want...), ": "...)
	r.end(strconv.AppendQuote(b, got), field.Error{Type: field.ErrorTypeTypeInvalid, BadValue: bad})
}

func (r *run) enum(n *leafcheck.Node, v any) {
	if n.Enum == nil || n.Enum.Valid(v) {
		return
	}
	b := append(append(r.begin(), "should be one of "...), n.Enum.Text()...)
	r.end(b, field.Error{Type: field.ErrorTypeNotSupported, BadValue: v, Detail: n.Enum.Detail()})
}

// text checks a string and returns the count of its format. Length and pattern
// are checked up to the first failure.
func (r *run) text(n *leafcheck.Node, s string, v any) int {
	t := n.Text
	if t == nil {
		return 0
	}
	switch {
	case t.TooLong(s):
		e := field.TooLong(nil, "", int(t.Max.N))
		r.end(quantity(r.begin(), "should be at most ", t.Max.N, " chars long"), *e)
	case t.TooShort(s):
		r.invalid(quantity(r.begin(), "should be at least ", t.Min.N, " chars long"), v)
	case !t.Matches(s):
		b := append(append(r.begin(), "should match '"...), t.Expr...)
		if t.BadExpr != "" {
			b = append(append(b, ", but pattern is invalid: "...), t.BadExpr...)
		}
		r.invalid(append(b, '\''), v)
	}
	if t.HasFormat == nil {
		return 0
	}
	if !t.HasFormat(s) {
		r.mistyped(t.Format, s, v)
	}
	return 1
}

func quantity(b []byte, what string, n int64, of string) []byte {
	return append(strconv.AppendInt(append(b, what...), n, 10), of...)
}
