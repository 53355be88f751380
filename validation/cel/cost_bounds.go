package cel

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
	*survey
	finding *finding
	tree    *ast.AST
	stored  bool
	once    bool // whatever the cardinality is
}

// A candidate is a bound that the cost may depend on.
type candidate struct {
	Bound
	largest int64  // value worth trying
	least   uint64 // total with the bound at 1
}

// explain adds to c what it depends on, unless it is well below its limit.
func (s *survey) explain(c *ExpressionCost, f *finding, o *outcome, stored bool) {
	if c.Total <= c.Limit/2 || o.tree == nil {
		return
	}
	t := &trial{survey: s, finding: f, tree: o.tree, stored: stored, once: c.Keyword != "rule"}
	all := t.candidates()
	for i := range all {
		b := &all[i]
		b.least = t.total(map[string]int64{b.Path: 1})
		b.Total = b.least
		if b.Fits = largest(b.largest, func(v int64) bool { return t.total(map[string]int64{b.Path: v}) <= c.Limit }); b.Fits > 0 {
			b.Total = t.total(map[string]int64{b.Path: b.Fits})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.least, b.least) })
	fits := false
	for i := range all {
		if all[i].least < c.Total-c.Total/10 { // else it hardly matters
			c.Bounds = append(c.Bounds, all[i].Bound)
			fits = fits || all[i].Fits > 0
		}
	}
	if !fits {
		top := int64(0)
		for i := range all {
			top = max(top, all[i].largest)
		}
		c.Together = largest(top, func(v int64) bool { return t.total(together(all, v)) <= c.Limit })
	}
}

// together sets all bounds to v, and leaves those that are smaller.
func together(all []candidate, v int64) map[string]int64 {
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
func (t *trial) estimate(set map[string]int64) (uint64, map[string]place) {
	t.sizes.set = set
	defer func() { t.sizes.set = nil }()
	e := &estimator{sizes: t.sizes, self: t.finding.spot.place, asked: make(map[string]place)}
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
			asked[p.place.path] = p.place
		}
	}
	var all []candidate
	for _, path := range slices.Sorted(maps.Keys(asked)) {
		all = append(all, t.candidate(asked[path]))
	}
	return all
}

func (t *trial) candidate(p place) candidate {
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
