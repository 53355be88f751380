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
		if _, failures := r.branch(pathstack.Not, 0, j.Not, v); failures == nil {
			r.junctor("must not validate the schema (not)")
		}
	}
	r.counting = outer
	r.found = append(append(append(r.found, all...), one...), any...)
	return count
}

// branch checks v against one branch. It returns its count and a copy of its
// errors, nil if v is valid.
func (r *run) branch(kind pathstack.Kind, i int, n *leafcheck.Node, v any) (int, []finding) {
	mark := len(r.found)
	r.stack.Push(kind, "", i)
	count, _ := r.checkUnlessValid(n, v, correlate.Pair{})
	r.stack.Pop()
	if len(r.found) == mark {
		return count, nil
	}
	failures := slices.Clone(r.found[mark:])
	r.found = r.found[:mark]
	return count, failures
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
	failures []finding
}

func (b *best) offer(count int, failures []finding) {
	if b.failures == nil || count > b.count {
		b.count, b.failures = count, failures
	}
}

func (r *run) anyOf(branches []*leafcheck.Node, v any) (int, []finding) {
	var b best
	var kept []finding
	for i, n := range branches {
		count, failures := r.branch(pathstack.AnyOf, i, n, v)
		if failures == nil {
			return count, nil
		}
		kept = r.keepImportant(kept, failures)
		b.offer(count, failures)
	}
	r.junctor(anyOfFailed)
	r.found = append(r.found, b.failures...)
	return b.count, kept
}

// oneOf returns the count of the satisfied branch, or of the best branch if
// there is none, or 0 if there are several.
func (r *run) oneOf(branches []*leafcheck.Node, v any) (int, []finding) {
	var b best
	var kept []finding
	valid, validCount := 0, 0
	for i, n := range branches {
		count, failures := r.branch(pathstack.OneOf, i, n, v)
		if failures == nil {
			if valid++; valid == 1 {
				validCount = count
			}
			kept = nil
			continue
		}
		kept = r.keepImportant(kept, failures)
		b.offer(count, failures)
	}
	switch valid {
	case 0:
		r.junctor(oneOfFailed + "none valid")
		r.found = append(r.found, b.failures...)
		return b.count, kept
	case 1:
		return validCount, kept
	default:
		r.junctor(fmt.Sprintf("%s%d valid alternatives", oneOfFailed, valid))
		return 0, kept
	}
}

func (r *run) allOf(branches []*leafcheck.Node, v any) (int, []finding) {
	var kept []finding
	total, failed := 0, 0
	for i, n := range branches {
		count, failures := r.branch(pathstack.AllOf, i, n, v)
		total += count
		if failures != nil {
			failed++
			kept = r.keepImportant(kept, failures)
			r.found = append(r.found, failures...)
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
