package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

const (
	anyOfFailed = "must validate at least one schema (anyOf)"
	oneOfFailed = "must validate one and only one schema (oneOf). Found "
)

// nested checks v against allOf, anyOf, oneOf and not of n. count is as in check. It reports
// the important errors of branches last, see [leafcheck.Important].
func (r *run) nested(n *leafcheck.Node, v any) (count int) {
	j := n.Nested
	if j == nil {
		return 0
	}
	if !r.counting && !r.checkAll && j.Valid(v) {
		return 0
	}
	outer := r.counting
	r.counting = true
	var any, one, all []finding
	if j.AnyOf != nil {
		c, kept := r.anyOf(j.AnyOf, v)
		count, any = count+c, kept
	}
	if j.OneOf != nil {
		c, kept := r.oneOf(j.OneOf, v)
		count, one = count+c, kept
	}
	if j.AllOf != nil {
		c, kept := r.allOf(j.AllOf, v)
		count, all = count+c, kept
	}
	if j.Not != nil {
		if _, f := r.branch(pathstack.Not, 0, j.Not, v); len(f) == 0 {
			r.junctor("must not validate the schema (not)")
		}
	}
	r.counting = outer
	r.restore(all)
	r.restore(one)
	r.restore(any)
	return count
}

// branch checks v against one branch. It returns the count as check does, and the findings,
// which are not added to r.
func (r *run) branch(kind pathstack.Kind, i int, n *leafcheck.Node, v any) (int, []finding) {
	before, outer := len(r.found), r.mark
	r.mark = before
	r.stack.Push(kind, "", i)
	count, _ := r.checkUnlessValid(n, v, correlate.Pair{})
	r.stack.Pop()
	r.mark = outer
	return count, slices.Clone(r.takeBack(before))
}

func (r *run) junctor(rest string) *Error {
	b := strconv.AppendQuote(r.buf[:0], r.stack.Text())
	return r.atStart(append(append(b, ' '), rest...))
}

// alternatives reports that v does not satisfy an anyOf or a oneOf. It stores in the error
// what [Error.Branches] needs.
func (r *run) alternatives(kind pathstack.Kind, branches []*leafcheck.Node, v any, rest string) {
	if err := r.junctor(rest); err != nil {
		err.failed = &alternatives{kind, branches, v, r.checkAll}
	}
}

// A best is the first branch with the most passed checks. Its errors are reported.
type best struct {
	count    int
	failures []finding
}

func (b *best) offer(count int, f []finding) {
	if len(b.failures) == 0 || count > b.count {
		b.count, b.failures = count, f
	}
}

func (r *run) anyOf(branches []*leafcheck.Node, v any) (int, []finding) {
	var b best
	var kept []finding
	for i, n := range branches {
		count, f := r.branch(pathstack.AnyOf, i, n, v)
		if len(f) == 0 {
			return count, nil
		}
		r.keepImportant(&kept, f)
		b.offer(count, f)
	}
	r.alternatives(pathstack.AnyOf, branches, v, anyOfFailed)
	r.restore(b.failures)
	return b.count, kept
}

// oneOf returns the number of checks of the satisfied branch, and of the best branch if none is
// satisfied. If several branches are satisfied, it returns 0.
func (r *run) oneOf(branches []*leafcheck.Node, v any) (int, []finding) {
	var b best
	var kept []finding
	valid, validCount := 0, 0
	for i, n := range branches {
		count, f := r.branch(pathstack.OneOf, i, n, v)
		if len(f) == 0 {
			if valid++; valid == 1 {
				validCount = count
			}
			kept = nil
			continue
		}
		r.keepImportant(&kept, f)
		b.offer(count, f)
	}
	switch valid {
	case 0:
		r.alternatives(pathstack.OneOf, branches, v, oneOfFailed+"none valid")
		r.restore(b.failures)
		return b.count, kept
	case 1:
		return validCount, kept
	default:
		r.alternatives(pathstack.OneOf, branches, v, fmt.Sprintf("%s%d valid alternatives", oneOfFailed, valid))
		return 0, kept
	}
}

func (r *run) allOf(branches []*leafcheck.Node, v any) (int, []finding) {
	var kept []finding
	total, failed := 0, 0
	for i, n := range branches {
		count, f := r.branch(pathstack.AllOf, i, n, v)
		total += count
		if len(f) > 0 {
			failed++
			r.keepImportant(&kept, f)
			r.restore(f)
		}
	}
	switch failed {
	case 0:
	case len(branches):
		r.junctor("must validate all the schemas (allOf). None validated")
	default:
		r.junctor("must validate all the schemas (allOf)")
	}
	return total, kept
}

// Branches says how the branches of an anyOf or a oneOf judge a value.
type Branches struct {
	// Keyword is "anyOf" or "oneOf".
	Keyword string
	// Len is the number of branches.
	Len int
	// Valid are the indexes of the branches that the value satisfies.
	Valid []int
	// Closest is the index of the branch with the fewest errors. Among equals, it is the
	// branch with the most passed checks, then the first. Closest is -1 if Valid is not
	// empty.
	Closest int
	// Errors are the errors of the closest branch, sorted. Their pointers start at the
	// root, as in all errors.
	Errors ErrorList
}

// alternatives are an anyOf or a oneOf and a value that does not satisfy it.
type alternatives struct {
	kind     pathstack.Kind
	branches []*leafcheck.Node
	value    any
	checkAll bool // see run
}

// Branches returns how the branches judge the value of an error about an anyOf or a
// oneOf. It returns false for any other error, and for an error that no [Validator]
// returned. e must not be nil.
//
// Each call validates the value against all branches.
func (e *Error) Branches() (Branches, bool) {
	a := e.failed
	if a == nil {
		return Branches{}, false
	}
	out := Branches{Keyword: "anyOf", Len: len(a.branches), Closest: -1}
	if a.kind == pathstack.OneOf {
		out.Keyword = "oneOf"
	}
	r := run{limit: &limit{}, checkAll: a.checkAll, counting: true}
	r.stack = pathstack.Between(e.Pointer, e.SchemaPointer)
	most := 0
	for i, n := range a.branches {
		count, f := r.branch(a.kind, i, n, a.value)
		if len(f) == 0 {
			out.Valid = append(out.Valid, i)
			continue
		}
		errs := firstOfEachText(f)
		if out.Closest < 0 || cmp.Or(len(out.Errors)-len(errs), count-most) > 0 {
			out.Closest, out.Errors, most = i, errs, count
		}
	}
	if len(out.Valid) > 0 {
		out.Closest, out.Errors = -1, nil
	}
	out.Errors.Sort()
	return out, true
}
