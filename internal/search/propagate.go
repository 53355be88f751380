package search

import "slices"

// facts are what the conditions of a conjunction say without a search.
type facts struct {
	mask    Mask            // the types that are possible
	truths  map[string]Mask // of opaque conditions and of relations, by name
	members map[string]bool // whether an object has a member
}

// factsOf returns the facts of a conjunction, and false if they contradict each other.
func factsOf(base []*Cond) (facts, bool) {
	f := facts{mask: Any, truths: map[string]Mask{}, members: map[string]bool{}}
	for _, c := range base {
		if c.kind == types {
			f.mask &= c.mask
		}
	}
	for _, c := range base {
		switch c.kind {
		case opaque, relation:
			known, ok := f.truths[c.text]
			if !ok {
				known = ^Mask(0)
			}
			f.truths[c.text] = known & c.mask
			if known&c.mask == 0 {
				return f, false
			}
		case at, ifAt:
			present := c.kind == at
			if c.other && f.mask != Object || !present && c.subs[0] != False {
				continue
			}
			if before, ok := f.members[c.text]; ok && before != present {
				return f, false
			}
			f.members[c.text] = present
		}
	}
	return f, f.mask != 0
}

// judge returns what the facts say about a condition.
func (f *facts) judge(c *Cond) truth {
	switch c.kind {
	case constant:
		return truthOf(c.other)
	case types:
		return covered(f.mask, c.mask)
	case opaque, relation:
		if known, ok := f.truths[c.text]; ok {
			return covered(known, c.mask)
		}
	case at, ifAt:
		present, ok := f.members[c.text]
		switch { // a member that is known to be present or absent is that of an object
		case ok && !present:
			return truthOf(c.kind == ifAt)
		case ok && c.subs[0].kind == constant:
			return truthOf(c.subs[0].other)
		}
	case and, or:
		return combined(c.subs, truthOf(c.kind == or), f.judge)
	}
	return unknown
}

// covered says whether each possibility is wanted, or none is.
func covered(possible, wanted Mask) truth {
	switch {
	case possible&wanted == 0:
		return no
	case possible&^wanted == 0:
		return yes
	}
	return unknown
}

// propagate draws conclusions from the facts of base: it drops disjunctions that hold, and
// moves the last possible part of a disjunction to base. It reports false if a
// disjunction has no possible part.
func propagate(base, alternatives []*Cond) (moreBase, open []*Cond, ok bool) {
	base = slices.Clip(base)
	for {
		f, ok := factsOf(base)
		if !ok {
			return nil, nil, false
		}
		open = nil
		var forced []*Cond
		for _, c := range alternatives {
			left, only := f.possible(c)
			switch {
			case f.judge(c) == yes:
			case left == 0:
				return nil, nil, false
			case left == 1:
				forced = append(forced, only)
			default:
				open = append(open, c)
			}
		}
		if len(forced) == 0 {
			return base, open, true
		}
		more, others, ok := flatten(forced)
		if !ok {
			return nil, nil, false
		}
		base, alternatives = append(base, more...), append(open, others...)
	}
}

// possible returns how many parts of a disjunction the facts admit, and the last one.
func (f *facts) possible(c *Cond) (left int, only *Cond) {
	for _, sub := range c.subs {
		if f.judge(sub) != no {
			left++
			only = sub
		}
	}
	return left, only
}

// lookahead tries each part of each disjunction beside base alone, so that a search does
// not find out again and again, below choices that have nothing to do with it, that a
// part is impossible. It returns the conjunction as [propagate] does.
func (s *Solver) lookahead(base, alternatives []*Cond) (moreBase, open []*Cond, ok bool) {
	var reduced []*Cond
	for _, c := range alternatives {
		var left []*Cond
		for _, sub := range c.subs {
			if !s.impossible(base, sub) {
				left = append(left, sub)
			}
		}
		if len(left) == len(c.subs) {
			open = append(open, c)
		} else {
			reduced = append(reduced, Or(left...))
		}
	}
	more, others, ok := flatten(reduced)
	return slices.Concat(base, more), append(open, others...), ok
}

// impossible reports whether no value satisfies base and the parts of c that are no
// disjunctions.
func (s *Solver) impossible(base []*Cond, c *Cond) bool {
	more, _, ok := flatten([]*Cond{c})
	if !ok {
		return true
	}
	if s.spend(len(base)+len(more)) != "" {
		return false
	}
	return s.solveBase(slices.Concat(base, more)).Status == None
}
