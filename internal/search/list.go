package search

import (
	"fmt"
	"maps"
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

// objectWant is what a conjunction asks of an object.
type objectWant struct {
	low, high int64
	required  map[string][]*Cond
	allowed   map[string][]*Cond
	every     []*Cond // everyOther
	some      []*Cond // someOther
}

func objectWantOf(own []*Cond) objectWant {
	w := objectWant{high: math.MaxInt64, required: map[string][]*Cond{}, allowed: map[string][]*Cond{}}
	for _, c := range own {
		switch {
		case c.kind == at:
			w.required[c.text] = append(w.required[c.text], c.subs[0])
		case c.kind == ifAt:
			w.allowed[c.text] = append(w.allowed[c.text], c.subs[0])
		case c.kind == everyOther:
			w.every = append(w.every, c)
		case c.kind == someOther:
			w.some = append(w.some, c)
		case c.kind == minProps && c.neg:
			w.high = min(w.high, c.n-1)
		case c.kind == minProps:
			w.low = max(w.low, c.n)
		}
	}
	return w
}

// solveObject returns an object.
func (s *Solver) solveObject(own []*Cond) Result {
	relations := relationsOf(own)
	for _, c := range relations {
		if c.mask&NoOrder == 0 { // both members are present
			own = append(slices.Clip(own), c.subs...)
		}
	}
	r := s.members(objectWantOf(own), own)
	if r.Status != Found {
		return r
	}
	for _, c := range relations {
		if s.eval(c, r.Value) != yes {
			rest := slices.DeleteFunc(slices.Clone(own), func(x *Cond) bool { return x.kind == relation && x.text == c.text })
			return s.relate(c, r.Value, append(rest, Types(Object)))
		}
	}
	return r
}

// members returns an object, without regard to relations.
func (s *Solver) members(w objectWant, own []*Cond) Result {
	if w.high < 0 || w.low > w.high || int64(len(w.required)) > w.high {
		return Result{}
	}
	if w.low > maxElements {
		return undecided("the map is too large")
	}
	obj := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(w.required)) {
		r := s.solve(w.member(name, w.required[name]))
		if r.Status != Found {
			return r
		}
		obj[name] = r.Value
	}
	for _, c := range w.some {
		if r := s.someMember(&w, obj, c); r.Status != Found {
			return r
		}
	}
	if r := s.fill(&w, obj); r.Status != Found {
		return r
	}
	if int64(len(obj)) > w.high {
		return undecided(noMembers)
	}
	for _, c := range own {
		if c.kind != relation && s.eval(c, obj) == no {
			return undecided("parts of a value depend on each other")
		}
	}
	return found(obj)
}

// member returns the conditions of a member.
func (w *objectWant) member(name string, want []*Cond) []*Cond {
	conds := slices.Concat(want, w.allowed[name])
	for _, c := range w.every {
		if !slices.Contains(c.keys, name) {
			conds = append(conds, c.subs[0])
		}
	}
	return conds
}

// someMember adds a member that satisfies c, unless there is one.
func (s *Solver) someMember(w *objectWant, obj map[string]any, c *Cond) Result {
	if s.eval(c, obj) == yes {
		return found(nil)
	}
	var out Result
	exhaustive := true
	for _, name := range w.candidates(obj) {
		if slices.Contains(c.keys, name) {
			continue
		}
		r := s.solve(w.member(name, []*Cond{c.subs[0]}))
		if r.Status == Found {
			obj[name] = r.Value
			return r
		}
		out.worse(r)
	}
	for name := range w.required { // a required member could be another one
		exhaustive = exhaustive && slices.Contains(c.keys, name)
	}
	if out.Status == None && !exhaustive {
		return undecided(noMembers)
	}
	return out
}

// candidates returns absent members: those of conditions, and one that none names.
func (w *objectWant) candidates(obj map[string]any) []string {
	named := maps.Clone(w.allowed)
	for _, c := range slices.Concat(w.every, w.some) {
		for _, name := range c.keys {
			named[name] = nil
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if _, ok := obj[name]; !ok {
			out = append(out, name)
		}
	}
	return append(out, w.freshName(obj))
}

// freshName returns a name that neither obj nor a condition has.
func (w *objectWant) freshName(obj map[string]any) string {
	for i := 0; ; i++ {
		name := "key"
		if i > 0 {
			name = fmt.Sprintf("key%d", i)
		}
		_, taken := obj[name]
		_, allowed := w.allowed[name]
		named := func(c *Cond) bool { return slices.Contains(c.keys, name) }
		if !taken && !allowed && !slices.ContainsFunc(w.every, named) && !slices.ContainsFunc(w.some, named) {
			return name
		}
	}
}

// fill adds members until there are enough.
func (s *Solver) fill(w *objectWant, obj map[string]any) Result {
	for _, name := range w.candidates(obj) {
		if int64(len(obj)) >= w.low {
			return found(nil)
		}
		switch r := s.solve(w.member(name, nil)); r.Status {
		case Found:
			obj[name] = r.Value
		case Undecided:
			return r
		}
	}
	for int64(len(obj)) < w.low {
		name := w.freshName(obj)
		r := s.solve(w.member(name, nil))
		if r.Status != Found {
			return r
		}
		obj[name] = r.Value
	}
	return found(nil)
}
