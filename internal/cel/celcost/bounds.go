package celcost

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/cel-go/common/ast"
)

// An expression is expensive because values are large or because self occurs often. An estimate
// records which sizes it uses, and which lists and maps self is in. To find a bound, the estimate
// is repeated with other sizes, by bisection. A larger bound never makes an expression cheaper.

// maxBound limits declared bounds, so that multiples do not overflow.
const maxBound = 1 << 40

// A trial estimates an expression with other bounds than the schema has.
type trial struct {
	*Checker
	rule   *RuleCost
	tree   *ast.AST
	stored bool
	once   bool // ignore how often self occurs
}

// A Bound is a keyword that bounds, or could bound, the cost of an expression.
type Bound struct {
	Path     string // path of the values that the keyword is for
	Keyword  string
	Value    int64 // the declared value, or the value that the estimate assumes
	Declared bool
	Fits     int64  // largest value that keeps the expression within its limit, 0 if there is none
	Total    uint64 // cost if the keyword is Fits, or 1 if Fits is 0
}

// A candidate is a Bound that may determine the cost.
type candidate struct {
	Bound
	largest int64  // largest value to try
	least   uint64 // total if the bound is 1
}

// Bounds returns the bounds that determine the total of a rule or message. It returns none if the
// total is at most half of the limit. If it is not enough to lower one bound, forAll is the value
// to which all bounds must be lowered.
func (s *Checker) Bounds(f *RuleCost, message bool, total uint64) (bounds []Bound, forAll int64) {
	t := &trial{Checker: s, rule: f, tree: f.Condition.Tree, stored: s.options.Rules[f.Rule.Rule], once: message}
	if message {
		t.tree, t.stored = f.Message.Tree, s.options.Messages[f.Rule.MessageExpression]
	}
	if total <= ExpressionLimit/2 || t.tree == nil {
		return nil, 0
	}
	all := t.candidates()
	for i := range all {
		b := &all[i]
		b.least = t.total(map[string]int64{b.Path: 1})
		b.Total = b.least
		if b.Fits = largest(b.largest, func(v int64) bool { return t.total(map[string]int64{b.Path: v}) <= ExpressionLimit }); b.Fits > 0 {
			b.Total = t.total(map[string]int64{b.Path: b.Fits})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.least, b.least) })
	fits := false
	for i := range all {
		if all[i].least < total-total/10 { // otherwise the bound hardly matters
			bounds = append(bounds, all[i].Bound)
			fits = fits || all[i].Fits > 0
		}
	}
	if !fits {
		top := int64(0)
		for i := range all {
			top = max(top, all[i].largest)
		}
		forAll = largest(top, func(v int64) bool { return t.total(atMost(all, v)) <= ExpressionLimit })
	}
	return bounds, forAll
}

// atMost returns, by path, the value of each candidate, or v if that is smaller.
func atMost(all []candidate, v int64) map[string]int64 {
	set := make(map[string]int64, len(all))
	for _, b := range all {
		set[b.Path] = min(b.Value, v)
	}
	return set
}

// largest returns the largest number from 1 to top for which fits is true, 0 if there is none.
func largest(top int64, fits func(int64) bool) int64 {
	low, high := int64(0), top+1 // fits(low) is true or low is 0; fits(high) is false or high is too large
	for high-low > 1 {
		if middle := low + (high-low)/2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// total estimates the expression with the bounds in set, by path.
func (t *trial) total(set map[string]int64) uint64 {
	total, _ := t.estimate(set)
	return total
}

// estimate is like total. It also returns the locations whose sizes it used.
func (t *trial) estimate(set map[string]int64) (uint64, map[string]location) {
	t.sizes.set = set
	defer func() { t.sizes.set = nil }()
	if t.options.Watch.Poll() {
		return 0, nil
	}
	e := &estimator{sizes: t.sizes, self: t.rule.site.location, used: make(map[string]location)}
	// This does not fail: the expression was estimated before.
	cost, _ := t.cost(t.tree, t.stored, e)
	if t.once {
		return cost, e.used
	}
	n, _ := t.cardinality(t.rule.site)
	return multiply(cost, n), e.used
}

// candidates returns the bounds that the estimate uses, sorted by path.
func (t *trial) candidates() []candidate {
	_, used := t.estimate(nil)
	if used == nil {
		return nil
	}
	for p := t.rule.site.parent; p != nil && !t.once; p = p.parent {
		if keyword, _ := p.multiplier(); keyword != "" {
			used[p.location.path] = p.location
		}
	}
	var all []candidate
	for _, path := range slices.Sorted(maps.Keys(used)) {
		all = append(all, t.candidate(used[path]))
	}
	return all
}

func (t *trial) candidate(p location) candidate {
	l, _ := t.sizes.limit(p)
	if l.keyword == "" { // an object with a boolean additionalProperties
		l = limit{keyword: "maxProperties", declared: p.node.Limits().MaxProperties, unit: 1, assumed: maxStringBytes}
	}
	c := candidate{Bound: Bound{Path: p.path, Keyword: l.keyword, Declared: l.declared.Set, Value: l.assumed / l.unit}}
	c.largest = c.Value
	if c.Declared {
		c.Value = l.declared.N
		c.largest = min(max(c.Value, c.largest), maxBound)
	}
	return c
}
