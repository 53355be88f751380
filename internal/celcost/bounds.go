package celcost

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/cel-go/common/ast"
)

// Explaining a cost.
//
// An expression costs much because a size is large that it reads, or because
// lists and maps around its value are. Which sizes it reads is what the estimate
// asks for; what is around is known. For each of these bounds the estimate is
// made again with other values, by bisection, as a larger bound never makes an
// expression cheaper. So what is said of a value has been tried.

// maxBound is how large a declared bound is taken to be at most, so that
// multiples of it do not overflow.
const maxBound = 1 << 40

// A trial estimates one expression with other bounds than the schema's.
type trial struct {
	*Checker
	finding *RuleCost
	tree    *ast.AST
	stored  bool
	once    bool // whatever the cardinality is
}

// A Bound is a keyword that bounds what an expression costs, or would if it were
// declared.
type Bound struct {
	Path     string // of the values that the keyword is for
	Keyword  string
	Value    int64 // as declared, or what the estimate takes it for
	Declared bool
	Fits     int64  // the largest value with which the expression fits, 0 if there is none
	Total    uint64 // of the expression with Fits, or with 1
}

// A candidate is a bound that the cost may depend on.
type candidate struct {
	Bound
	largest int64  // value worth trying
	least   uint64 // total with the bound at 1
}

// Bounds returns what the total of the rule or of the messageExpression of f
// depends on, and the largest number that makes it fit if none of the bounds is
// larger, if no bound alone does. There are none if it is well below its limit.
func (s *Checker) Bounds(f *RuleCost, message bool, total uint64) (bounds []Bound, together int64) {
	t := &trial{Checker: s, finding: f, tree: f.Condition.Tree, stored: s.options.Rules[f.Rule.Rule], once: message}
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
		if all[i].least < total-total/10 { // else it hardly matters
			bounds = append(bounds, all[i].Bound)
			fits = fits || all[i].Fits > 0
		}
	}
	if !fits {
		top := int64(0)
		for i := range all {
			top = max(top, all[i].largest)
		}
		together = largest(top, func(v int64) bool { return t.total(atMost(all, v)) <= ExpressionLimit })
	}
	return bounds, together
}

// atMost sets all bounds to v, and leaves those that are smaller.
func atMost(all []candidate, v int64) map[string]int64 {
	set := make(map[string]int64, len(all))
	for _, b := range all {
		set[b.Path] = min(b.Value, v)
	}
	return set
}

// largest returns the largest number from 1 to top that fits, 0 if none does.
// If a number fits, smaller ones do.
func largest(top int64, fits func(int64) bool) int64 {
	low, high := int64(0), top+1 // low fits, or is none; high does not, or is too much
	for high-low > 1 {
		if middle := low + (high-low)/2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// total estimates the expression with bounds that are set by path.
func (t *trial) total(set map[string]int64) uint64 {
	total, _ := t.estimate(set)
	return total
}

// estimate also returns the places whose sizes count.
func (t *trial) estimate(set map[string]int64) (uint64, map[string]location) {
	t.sizes.set = set
	defer func() { t.sizes.set = nil }()
	e := &estimator{sizes: t.sizes, self: t.finding.spot.location, asked: make(map[string]location)}
	// The expression has been estimated before, so there is no error.
	cost, _ := t.cost(t.tree, t.stored, e)
	if t.once {
		return cost, e.asked
	}
	n, _ := t.cardinality(t.finding.spot)
	return multiply(cost, n), e.asked
}

// candidates returns the bounds that the estimate uses, by path.
func (t *trial) candidates() []candidate {
	_, asked := t.estimate(nil)
	for p := t.finding.spot.parent; p != nil && !t.once; p = p.parent {
		if keyword, _ := p.multiplier(); keyword != "" {
			asked[p.location.path] = p.location
		}
	}
	var all []candidate
	for _, path := range slices.Sorted(maps.Keys(asked)) {
		all = append(all, t.candidate(asked[path]))
	}
	return all
}

func (t *trial) candidate(p location) candidate {
	l, _ := t.sizes.limit(p)
	if l.keyword == "" { // an object that declares additionalProperties as a boolean
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
