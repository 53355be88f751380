package search

import (
	"math"
	"slices"
)

// listWant is what a conjunction asks of a list.
type listWant struct {
	low, high int64
	every     []*Cond
	some      [][]*Cond // an element for each
	distinct  []*Cond
	repeated  []*Cond // two elements must agree
}

func listWantOf(own []*Cond) listWant {
	w := listWant{high: math.MaxInt64}
	for _, c := range own {
		switch {
		case c.kind == everyItem:
			w.every = append(w.every, c.subs[0])
		case c.kind == someItem:
			w.some = append(w.some, []*Cond{c.subs[0]})
		case c.kind == distinct && c.neg:
			w.repeated = append(w.repeated, c)
		case c.kind == distinct:
			w.distinct = append(w.distinct, c)
		case c.kind == minItems && c.neg:
			w.high = min(w.high, c.n-1)
		case c.kind == minItems:
			w.low = max(w.low, c.n)
		}
	}
	return w
}

// maxElements bounds the lists and maps that a solver fills.
const maxElements = 2000

// solveList returns a list.
func (s *Solver) solveList(own []*Cond) Result {
	w := listWantOf(own)
	if w.high < 0 || w.low > w.high {
		return Result{}
	}
	if w.low > maxElements {
		return undecided("the list is too long")
	}
	out := []any{}
	r := s.wantedItems(&w, &out)
	if r.Status != Found {
		return r
	}
	if len(w.repeated) > 0 {
		if r := s.repeat(&w, &out); r.Status != Found {
			return r
		}
	}
	for int64(len(out)) < w.low {
		item := s.newItem(&w, out, nil)
		if item.Status != Found && len(w.repeated) > 0 {
			return undecided(noItems) // others could be repeated
		}
		if item.Status != Found {
			return item
		}
		out = append(out, item.Value)
	}
	if int64(len(out)) > w.high {
		return undecided(noItems)
	}
	return s.checked(out, own)
}

// wantedItems appends an element for each that must be there, as far as the list may grow.
func (s *Solver) wantedItems(w *listWant, out *[]any) Result {
	merged := int64(len(w.some)) > w.high
	if merged {
		if w.high == 0 {
			return Result{}
		}
		w.some = mergeWants(w.some, int(w.high))
	}
	for _, want := range w.some {
		item := s.newItem(w, *out, want)
		if item.Status == None && (merged || len(*out) > 0 && len(w.distinct) > 0) {
			return s.sharedItem(w, *out, want)
		}
		if item.Status != Found {
			return item
		}
		*out = append(*out, item.Value)
	}
	return found(nil)
}

// sharedItem succeeds if an element that is there already satisfies want.
func (s *Solver) sharedItem(w *listWant, out []any, want []*Cond) Result {
	if slices.ContainsFunc(out, func(v any) bool { return s.evalAnd(want, v) == yes }) {
		return found(nil)
	}
	if len(w.some) == 1 {
		return Result{} // one element must satisfy everything
	}
	return undecided(noItems)
}

// mergeWants makes at most n wants out of more, which later ones join.
func mergeWants(some [][]*Cond, n int) [][]*Cond {
	out := slices.Clone(some[:n])
	for i, want := range some[n:] {
		out[i%n] = slices.Concat(out[i%n], want)
	}
	return out
}

// newItem returns an element to add. For a long list, it first searches one that differs in
// one key from all others: a disjunction for each takes cubic time.
func (s *Solver) newItem(w *listWant, list []any, want []*Cond) Result {
	if len(list) >= longList && len(w.distinct) == 1 {
		if len(w.distinct[0].keys) == 0 {
			return s.solve(append(slices.Concat(w.every, want), Not(Enum(slices.Clone(list)...))))
		}
		for _, key := range w.distinct[0].keys {
			conds := append(slices.Concat(w.every, want), At(key, Not(Enum(membersOf(list, key)...))))
			if r := s.solve(conds); r.Status == Found {
				return r
			}
		}
	}
	return s.solve(w.item(list, want))
}

// longList is the length from which the elements of a list differ in one key, if they can.
const longList = 8

// membersOf returns a member of each object of a list that has it.
func membersOf(list []any, name string) []any {
	var out []any
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			if member, ok := m[name]; ok {
				out = append(out, member)
			}
		}
	}
	return out
}

// item returns the conditions of an element that is added to a list.
func (w *listWant) item(list []any, want []*Cond) []*Cond {
	conds := slices.Concat(w.every, want)
	for _, d := range w.distinct {
		for _, v := range list {
			conds = append(conds, differsFrom(v, d.keys))
		}
	}
	return conds
}

// differsFrom holds for values that differ from v, in one of the keys if there are any.
func differsFrom(v any, keys []string) *Cond {
	if len(keys) == 0 {
		return Not(Enum(v))
	}
	m, _ := v.(map[string]any)
	var alternatives []*Cond
	for _, key := range keys {
		if member, ok := m[key]; ok {
			alternatives = append(alternatives, At(key, Not(Enum(member))))
		} else {
			alternatives = append(alternatives, At(key, Not(Enum(nil))))
		}
	}
	return Or(alternatives...)
}

// repeat appends an element that agrees with the first one, because two must agree.
func (s *Solver) repeat(w *listWant, out *[]any) Result {
	if w.high < 2 {
		return Result{}
	}
	if len(*out) == 0 {
		item := s.solve(w.item(nil, nil))
		if item.Status != Found {
			return item
		}
		*out = append(*out, item.Value)
	}
	conds := w.item(*out, nil)
	for _, c := range w.repeated {
		conds = append(conds, agreesWith((*out)[0], c.keys))
	}
	again := s.solve(conds)
	if again.Status == None && !w.contradicts() {
		return undecided(noItems)
	}
	*out = append(*out, again.Value)
	return again
}

// contradicts reports whether elements with the keys of repeated agree in all distinct
// keys.
func (w *listWant) contradicts() bool {
	for _, d := range w.distinct {
		for _, r := range w.repeated {
			missing := func(key string) bool { return !slices.Contains(r.keys, key) }
			if len(r.keys) == 0 || len(d.keys) > 0 && !slices.ContainsFunc(d.keys, missing) {
				return true
			}
		}
	}
	return len(w.distinct) == 0
}

// agreesWith holds for values that equal v, or agree in the keys if there are any.
func agreesWith(v any, keys []string) *Cond {
	if len(keys) == 0 {
		return Enum(v)
	}
	m, _ := v.(map[string]any)
	var parts []*Cond
	for _, key := range keys {
		if member, ok := m[key]; ok {
			parts = append(parts, At(key, Enum(member)))
		} else {
			parts = append(parts, IfAt(key, False))
		}
	}
	return And(parts...)
}

// checked returns v if it satisfies the conditions: choices may depend on each other.
func (s *Solver) checked(v any, own []*Cond) Result {
	if s.evalAnd(own, v) == no {
		return undecided("parts of a value depend on each other")
	}
	return found(v)
}
