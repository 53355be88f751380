package validation

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/internal/correlate"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/pathstack"
)

const (
	anyOfFailed = "must validate at least one schema (anyOf)"
	oneOfFailed = "must validate one and only one schema (oneOf). Found "
)

// nested checks v against the junctors of n and returns their count. It reports
// the junctors in a fixed order and the important errors of their branches
// last.
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
	var any, one, all failures
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
		if _, f := r.branch(pathstack.Not, 0, j.Not, v); f.none() {
			r.junctor("must not validate the schema (not)")
		}
	}
	r.counting = outer
	r.restore(all)
	r.restore(one)
	r.restore(any)
	return count
}

// branch checks v against one branch. It returns its count and a copy of its
// errors, none if v is valid.
func (r *run) branch(kind pathstack.Kind, i int, n *leafcheck.Node, v any) (int, failures) {
	before := r.mark()
	r.stack.Push(kind, "", i)
	count, _ := r.checkUnlessValid(n, v, correlate.Pair{})
	r.stack.Pop()
	f := r.since(before)
	f.found = slices.Clone(f.found)
	return count, f
}

// junctor reports that v does not satisfy a junctor.
func (r *run) junctor(rest string) {
	b := strconv.AppendQuote(r.buf[:0], r.stack.Text())
	r.atStart(append(append(b, ' '), rest...))
}

// A best is the branch whose errors are reported: the first one with the
// highest count.
type best struct {
	count    int
	failures failures
}

func (b *best) offer(count int, f failures) {
	if b.failures.none() || count > b.count {
		b.count, b.failures = count, f
	}
}

func (r *run) anyOf(branches []*leafcheck.Node, v any) (int, failures) {
	var b best
	var kept failures
	for i, n := range branches {
		count, f := r.branch(pathstack.AnyOf, i, n, v)
		if f.none() {
			return count, failures{}
		}
		r.keepImportant(&kept, f)
		b.offer(count, f)
	}
	r.junctor(anyOfFailed)
	r.restore(b.failures)
	return b.count, kept
}

// oneOf returns the count of the satisfied branch, or of the best branch if
// there is none, or 0 if there are several.
func (r *run) oneOf(branches []*leafcheck.Node, v any) (int, failures) {
	var b best
	var kept failures
	valid, validCount := 0, 0
	for i, n := range branches {
		count, f := r.branch(pathstack.OneOf, i, n, v)
		if f.none() {
			if valid++; valid == 1 {
				validCount = count
			}
			kept = failures{}
			continue
		}
		r.keepImportant(&kept, f)
		b.offer(count, f)
	}
	switch valid {
	case 0:
		r.junctor(oneOfFailed + "none valid")
		r.restore(b.failures)
		return b.count, kept
	case 1:
		return validCount, kept
	default:
		r.junctor(fmt.Sprintf("%s%d valid alternatives", oneOfFailed, valid))
		return 0, kept
	}
}

func (r *run) allOf(branches []*leafcheck.Node, v any) (int, failures) {
	var kept failures
	total, failed := 0, 0
	for i, n := range branches {
		count, f := r.branch(pathstack.AllOf, i, n, v)
		total += count
		if !f.none() {
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
