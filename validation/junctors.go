package validation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/correlate"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
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

// Branches says how the branches of an anyOf or a oneOf judge a value.
type Branches struct {
	// Keyword is "anyOf" or "oneOf".
	Keyword string
	// Len is the number of branches.
	Len int
	// Valid are the indexes of the branches that the value satisfies.
	Valid []int
	// Closest is the index of the branch with the fewest errors. Among several it is
	// the one in which most checks passed, and then the first. It is -1 if Valid has
	// a branch.
	Closest int
	// Errors are the errors of the closest branch, sorted. Their pointers lead from
	// the root of the object and of the schema.
	Errors ErrorList
}

// Branches returns how the branches judge the value of an error of this validator
// about an anyOf or a oneOf. obj is the object with the error. It reports false for
// any other error, and for an error that does not belong to obj.
//
// It validates the value against all branches, as often as there are calls.
func (v *Validator) Branches(obj map[string]any, err *Error) (Branches, bool) {
	keyword := junctorOf(err)
	if keyword == "" || v.root == nil {
		return Branches{}, false
	}
	r := run{checkAll: v.collectOnly, counting: true}
	r.stack.Steps, r.found, r.buf = r.steps[:0], r.first[:0], r.bytes[:0]
	n, value, ok := r.enterPointers(v.root, obj, err)
	if !ok || n.Nested == nil {
		return Branches{}, false
	}
	kind, nodes := pathstack.AnyOf, n.Nested.AnyOf
	if keyword == "oneOf" {
		kind, nodes = pathstack.OneOf, n.Nested.OneOf
	}
	out := Branches{Keyword: keyword, Len: len(nodes), Closest: -1}
	r.closest(&out, kind, nodes, value)
	return out, len(nodes) > 0
}

// junctorOf returns the keyword that an error is about, "" for other errors.
func junctorOf(err *Error) string {
	switch {
	case err == nil || err.Step != StepSchema:
		return ""
	case strings.HasSuffix(err.Detail, anyOfFailed):
		return "anyOf"
	case strings.Contains(err.Detail, oneOfFailed):
		return "oneOf"
	}
	return ""
}

// closest judges v by all branches.
func (r *run) closest(out *Branches, kind pathstack.Kind, nodes []*leafcheck.Node, v any) {
	most := 0
	for i, n := range nodes {
		count, f := r.branch(kind, i, n, v)
		if f.none() {
			out.Valid = append(out.Valid, i)
			continue
		}
		errs := firstOfEachText(f.found)
		if out.Closest < 0 || cmp.Or(len(out.Errors)-len(errs), count-most) > 0 {
			out.Closest, out.Errors, most = i, errs, count
		}
	}
	if len(out.Valid) > 0 {
		out.Closest, out.Errors = -1, nil
	}
	out.Errors.Sort()
}

// enterPointers enters the schema and the value that the pointers of an error lead to.
func (r *run) enterPointers(n *leafcheck.Node, v any, err *Error) (*leafcheck.Node, any, bool) {
	steps, path := pathstack.Tokens(err.SchemaPointer), pathstack.Tokens(err.Pointer)
	for len(steps) > 0 {
		var ok bool
		switch keyword := steps[0]; keyword {
		case "allOf", "anyOf", "oneOf", "not":
			n, steps, ok = r.enterBranch(n, keyword, steps[1:])
		default:
			if len(path) == 0 {
				return nil, nil, false
			}
			n, v, ok = r.enterPart(n, v, keyword, path[0])
			if path, steps = path[1:], steps[1:]; ok && keyword == "properties" {
				steps = steps[min(1, len(steps)):]
			}
		}
		if !ok || n == nil {
			return nil, nil, false
		}
	}
	return n, v, len(path) == 0
}

// enterPart enters a part of v with a schema of the keyword.
func (r *run) enterPart(n *leafcheck.Node, v any, keyword, name string) (*leafcheck.Node, any, bool) {
	if keyword == "items" {
		list, _ := v.([]any)
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(list) {
			return nil, nil, false
		}
		r.stack.Push(pathstack.Item, "", i)
		return n.Items, list[i], true
	}
	parent, _ := v.(map[string]any)
	part, ok := parent[name]
	if !ok {
		return nil, nil, false
	}
	i, declared := n.Fields.Index(name)
	switch {
	case keyword == "properties" && declared:
		r.stack.Push(pathstack.Property, name, 0)
		return n.Fields.Props[i].Node, part, true
	case keyword == "additionalProperties":
		r.stack.Push(pathstack.Entry, name, 0)
		return n.Fields.Additional, part, true
	}
	return nil, nil, false
}

// enterBranch enters a branch of a junctor.
func (r *run) enterBranch(n *leafcheck.Node, keyword string, rest []string) (*leafcheck.Node, []string, bool) {
	j := n.Nested
	if j == nil {
		return nil, nil, false
	}
	if keyword == "not" {
		r.stack.Push(pathstack.Not, "", 0)
		return j.Not, rest, true
	}
	kind, nodes := pathstack.AllOf, j.AllOf
	switch keyword {
	case "anyOf":
		kind, nodes = pathstack.AnyOf, j.AnyOf
	case "oneOf":
		kind, nodes = pathstack.OneOf, j.OneOf
	}
	if len(rest) == 0 {
		return nil, nil, false
	}
	i, err := strconv.Atoi(rest[0])
	if err != nil || i < 0 || i >= len(nodes) {
		return nil, nil, false
	}
	r.stack.Push(kind, "", i)
	return nodes[i], rest[1:], true
}
