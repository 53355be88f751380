package search

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

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
