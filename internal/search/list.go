package search

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// listWant is what a conjunction requires of a list.
type listWant struct {
	list      []any // the elements so far
	low, high int64
	every     []*Cond
	some      [][]*Cond // each lists conditions that one element must satisfy
	distinct  []*Cond
	repeated  []*Cond // two elements must agree in the keys
}

func listWantOf(own []*Cond) listWant {
	w := listWant{list: []any{}, high: math.MaxInt64}
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

func (s *Solver) solveList(own []*Cond) Result {
	w := listWantOf(own)
	if w.high < 0 || w.low > w.high {
		return Result{}
	}
	if w.low > maxElements {
		return undecided("the list is too long")
	}
	if r := s.wantedItems(&w); r.Status != Found {
		return r
	}
	if len(w.repeated) > 0 {
		if r := s.repeat(&w); r.Status != Found {
			return r
		}
	}
	for int64(len(w.list)) < w.low {
		item := s.newItem(&w, nil)
		if item.Status != Found && len(w.repeated) > 0 {
			return undecided(noItems) // a list that repeats another element may exist
		}
		if item.Status != Found {
			return item
		}
	}
	if int64(len(w.list)) > w.high {
		return undecided(noItems)
	}
	if s.evalAnd(own, w.list) == no {
		return undecided(dependent)
	}
	return found(w.list)
}

// wantedItems appends an element for each condition of w.some. If the list would be too long, an
// element must satisfy several conditions.
func (s *Solver) wantedItems(w *listWant) Result {
	merged := int64(len(w.some)) > w.high
	if merged {
		if w.high == 0 {
			return Result{}
		}
		n := int(w.high)
		for i, want := range w.some[n:] {
			w.some[i%n] = slices.Concat(w.some[i%n], want)
		}
		w.some = w.some[:n]
	}
	for _, want := range w.some {
		item := s.newItem(w, want)
		if item.Status == None && (merged || len(w.list) > 0 && len(w.distinct) > 0) {
			return s.sharedItem(w, want)
		}
		if item.Status != Found {
			return item
		}
	}
	return found(nil)
}

// sharedItem succeeds if an existing element satisfies want.
func (s *Solver) sharedItem(w *listWant, want []*Cond) Result {
	if slices.ContainsFunc(w.list, func(v any) bool { return s.evalAnd(want, v) == yes }) {
		return found(nil)
	}
	if len(w.some) == 1 {
		return Result{} // a single element had to satisfy all conditions
	}
	return undecided(noItems)
}

// newItem appends an element. If the list is long, it first searches an element that differs from
// all others in one key. Otherwise it would need a disjunction of keys for each element, and the
// time would grow with the third power of the length.
func (s *Solver) newItem(w *listWant, want []*Cond) Result {
	if len(w.list) >= longList && len(w.distinct) == 1 {
		if len(w.distinct[0].keys) == 0 {
			return w.add(s.solve(append(slices.Concat(w.every, want), Not(Enum(slices.Clone(w.list)...)))))
		}
		for _, key := range w.distinct[0].keys {
			var members []any
			for _, v := range w.list {
				m, _ := v.(map[string]any)
				if member, ok := m[key]; ok {
					members = append(members, member)
				}
			}
			if r := s.solve(append(slices.Concat(w.every, want), At(key, Not(Enum(members...))))); r.Status == Found {
				return w.add(r)
			}
		}
	}
	return w.add(s.solve(w.item(want)))
}

// longList is the length of a list from which newItem tries single keys.
const longList = 8

func (w *listWant) add(r Result) Result {
	if r.Status == Found {
		w.list = append(w.list, r.Value)
	}
	return r
}

func (w *listWant) item(want []*Cond) []*Cond {
	conds := slices.Concat(w.every, want)
	for _, d := range w.distinct {
		for _, v := range w.list {
			conds = append(conds, differsFrom(v, d.keys))
		}
	}
	return conds
}

// differsFrom holds for values that differ from v. With keys, one or more of them must differ.
func differsFrom(v any, keys []string) *Cond {
	if len(keys) == 0 {
		return Not(Enum(v))
	}
	m, _ := v.(map[string]any)
	var alternatives []*Cond
	for _, key := range keys {
		alternatives = append(alternatives, At(key, Not(Enum(m[key])))) // an absent key counts as null
	}
	return Or(alternatives...)
}

// repeat appends an element that agrees with the first element as w.repeated demands.
func (s *Solver) repeat(w *listWant) Result {
	if w.high < 2 {
		return Result{}
	}
	if len(w.list) == 0 {
		if item := w.add(s.solve(w.item(nil))); item.Status != Found {
			return item
		}
	}
	conds := w.item(nil)
	for _, c := range w.repeated {
		conds = append(conds, agreesWith(w.list[0], c.keys))
	}
	again := w.add(s.solve(conds))
	if again.Status == None && !w.contradicts() {
		return undecided(noItems)
	}
	return again
}

// contradicts reports whether a failure of repeat proves that no list satisfies w. It does if
// w.distinct is empty, or if it excludes any two elements that agree as w.repeated demands.
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

// agreesWith holds for values that equal v. If there are keys, a value only needs to agree in the
// keys.
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

type objectWant struct {
	obj       map[string]any // the members so far
	low, high int64
	required  map[string][]*Cond
	allowed   map[string][]*Cond
	every     []*Cond // everyOther
	some      []*Cond // someOther
}

func objectWantOf(own []*Cond) objectWant {
	w := objectWant{obj: map[string]any{}, high: math.MaxInt64, required: map[string][]*Cond{}, allowed: map[string][]*Cond{}}
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

// members returns an object that satisfies all conditions except relations.
func (s *Solver) members(w objectWant, own []*Cond) Result {
	if w.high < 0 || w.low > w.high || int64(len(w.required)) > w.high {
		return Result{}
	}
	if w.low > maxElements {
		return undecided("the map is too large")
	}
	for _, name := range slices.Sorted(maps.Keys(w.required)) {
		if r := s.member(&w, name, w.required[name]); r.Status != Found {
			return r
		}
	}
	for _, c := range w.some {
		if r := s.someMember(&w, c); r.Status != Found {
			return r
		}
	}
	for names := w.candidates(); int64(len(w.obj)) < w.low; {
		name, named := w.freshName(), len(names) > 0
		if named {
			name, names = names[0], names[1:]
		}
		if r := s.member(&w, name, nil); r.Status == Undecided || r.Status == None && !named {
			return r
		}
	}
	if int64(len(w.obj)) > w.high {
		return undecided(noMembers)
	}
	for _, c := range own {
		if c.kind != relation && s.eval(c, w.obj) == no {
			return undecided(dependent)
		}
	}
	return found(w.obj)
}

func (s *Solver) member(w *objectWant, name string, want []*Cond) Result {
	conds := slices.Concat(want, w.allowed[name])
	for _, c := range w.every {
		if !slices.Contains(c.keys, name) {
			conds = append(conds, c.subs[0])
		}
	}
	r := s.solve(conds)
	if r.Status == Found {
		w.obj[name] = r.Value
	}
	return r
}

// someMember adds a member that satisfies c, if there is none.
func (s *Solver) someMember(w *objectWant, c *Cond) Result {
	if s.eval(c, w.obj) == yes {
		return found(nil)
	}
	var out Result
	exhaustive := true
	for _, name := range w.candidates() {
		if slices.Contains(c.keys, name) {
			continue
		}
		r := s.member(w, name, []*Cond{c.subs[0]})
		if r.Status == Found {
			return r
		}
		out.worse(r)
	}
	for name := range w.required { // a required member could have satisfied c
		exhaustive = exhaustive && slices.Contains(c.keys, name)
	}
	if out.Status == None && !exhaustive {
		return undecided(noMembers)
	}
	return out
}

// candidates returns names for new members: the names in conditions, and then a name that is in no
// condition.
func (w *objectWant) candidates() []string {
	named := maps.Clone(w.allowed)
	for _, c := range slices.Concat(w.every, w.some) {
		for _, name := range c.keys {
			named[name] = nil
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if _, ok := w.obj[name]; !ok {
			out = append(out, name)
		}
	}
	return append(out, w.freshName())
}

func (w *objectWant) freshName() string {
	for i := 0; ; i++ {
		name := "key"
		if i > 0 {
			name = fmt.Sprintf("key%d", i)
		}
		_, taken := w.obj[name]
		_, allowed := w.allowed[name]
		named := func(c *Cond) bool { return slices.Contains(c.keys, name) }
		if !taken && !allowed && !slices.ContainsFunc(w.every, named) && !slices.ContainsFunc(w.some, named) {
			return name
		}
	}
}
