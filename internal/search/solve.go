package search

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/internal/value/pattern"
)

// A Status is the outcome of a search.
type Status uint8

const (
	// None: no value satisfies the condition.
	None Status = iota
	// Found: a value satisfies the condition.
	Found
	// Undecided: the search could not tell.
	Undecided
)

// A Result is the result of a search.
type Result struct {
	Status Status
	Value  any    // for Found
	Reason string // for Undecided
}

// Reasons why a search is undecided.
const (
	workLimit = "the work limit is used up"
	ended     = "the time limit has passed"
	noText    = "no string of the wanted format was found"
	noItems   = "the elements of a list could not be chosen"
	noMembers = "the members of a map could not be chosen"
	dependent = "parts of a value depend on each other"
)

func found(v any) Result             { return Result{Status: Found, Value: v} }
func undecided(reason string) Result { return Result{Status: Undecided, Reason: reason} }
func (r *Result) worse(other Result) { // keeps the first result that is not None
	if r.Status == None {
		*r = other
	}
}

// A Solver solves conditions within a limit of work, for one goroutine.
type Solver struct {
	work     int
	watch    *interrupt.Watch
	depth    int
	patterns map[string]*pattern.Pattern
	memory   memory
}

// NewSolver returns a solver with a limit of steps for all conditions together. It stops when ctx
// ends.
func NewSolver(ctx context.Context, steps int) *Solver {
	return &Solver{work: steps, watch: interrupt.New(ctx), patterns: map[string]*pattern.Pattern{}, memory: memory{conds: map[*Cond]uint32{}, values: map[string]Result{}}}
}

// Work returns how many steps are left.
func (s *Solver) Work() int { return s.work }

// SetWork sets how many steps are left.
func (s *Solver) SetWork(steps int) { s.work = steps }

const maxDepth = 500

// Solve returns a small value that satisfies c. The same conditions give the same value. It belongs
// to the caller.
func (s *Solver) Solve(c *Cond) Result {
	r := s.solve([]*Cond{c})
	r.Value = jsonval.Clone(r.Value)
	return r
}

// spend subtracts steps from the work that is left. It returns why the search must end, or "".
func (s *Solver) spend(steps int) string {
	if s.work -= steps; s.work < 0 {
		s.memory.limited++
		return workLimit
	}
	if s.watch.Ended() {
		s.memory.limited++
		return ended
	}
	return ""
}

func (s *Solver) solve(list []*Cond) Result {
	if s.depth++; s.depth > maxDepth {
		s.depth--
		s.memory.limited++
		return undecided("the value is nested too deeply")
	}
	defer func() { s.depth-- }()
	known, key, ok := s.memory.known(list)
	if ok {
		return known
	}
	base, alternatives, ok := flatten(list)
	if !ok {
		return Result{}
	}
	limited := s.memory.limited
	r := s.split(base, alternatives)
	if s.memory.limited == limited {
		s.memory.keepValue(key, r)
	}
	return r
}

// flatten returns the disjunctions of a conjunction (alternatives) and its other conditions (base).
// ok is false if a condition is False.
func flatten(list []*Cond) (base, alternatives []*Cond, ok bool) {
	seen := map[*Cond]bool{}
	for len(list) > 0 {
		c := list[0]
		list = list[1:]
		switch {
		case c.kind == constant && !c.other:
			return nil, nil, false
		case c.kind == constant || seen[c]:
		case c.kind == and:
			list = slices.Concat(c.subs, list)
		case c.kind == or:
			alternatives = append(alternatives, c)
		default:
			base = append(base, c)
		}
		seen[c] = true
	}
	return base, alternatives, true
}

// split solves base. Then it branches on the first disjunction that the value does not satisfy.
func (s *Solver) split(base, alternatives []*Cond) Result {
	if reason := s.spend(len(base) + len(alternatives)); reason != "" {
		return undecided(reason)
	}
	r := s.solveBase(base)
	if r.Status == None {
		return r
	}
	open := slices.IndexFunc(alternatives, func(c *Cond) bool { return r.Status == Undecided || s.eval(c, r.Value) != yes })
	if open < 0 {
		return r
	}
	return s.branch(base, slices.Delete(slices.Clone(alternatives), open, open+1), alternatives[open].subs)
}

// branch solves base and rest with each part of a disjunction in turn.
func (s *Solver) branch(base, rest, parts []*Cond) Result {
	var out Result
	looked := false
	for _, c := range parts {
		more, others, ok := flatten([]*Cond{c})
		if !ok {
			continue
		}
		r := s.split(slices.Concat(base, more), slices.Concat(rest, others))
		if r.Status == Found {
			return r
		}
		out.worse(r)
		if r.Status == None && !looked {
			looked = true
			if base, rest, ok = s.lookahead(base, rest); !ok {
				return Result{}
			}
		}
	}
	return out
}

// lookahead tries each part of each disjunction with base alone, and removes impossible parts.
// Otherwise the search would try them again with each choice in other disjunctions. It returns the
// remaining conditions, or false if a disjunction has no possible part.
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

// impossible reports whether no value satisfies base and the parts of c that are not disjunctions.
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

// preferred are the types in the order in which they are tried.
var preferred = []Mask{Object, String, Integer, Bool, Array, Fraction, Null}

func (s *Solver) solveBase(base []*Cond) Result {
	mask := Any
	truths := map[string]Mask{} // truths of opaque conditions, orders of relations, by name
	for _, c := range base {
		switch c.kind {
		case types:
			mask &= c.mask
		case opaque, relation:
			known, ok := truths[c.text]
			if !ok {
				known = ^Mask(0)
			}
			if truths[c.text] = known & c.mask; known&c.mask == 0 {
				return Result{}
			}
		}
	}
	var out Result
	for _, t := range preferred {
		if mask&t == 0 {
			continue
		}
		r := s.solveType(t, base)
		if r.Status == Found {
			return r
		}
		out.worse(r)
	}
	return out
}

func (s *Solver) solveType(t Mask, base []*Cond) Result {
	var own []*Cond
	var allowed *Cond // if not nil, only these values are allowed
	for _, c := range base {
		if c.kind == enum && !c.neg && (allowed == nil || len(c.values) < len(allowed.values)) {
			allowed = c
		}
		switch {
		case c.kind == types || c.kind == opaque:
		case c.kind == enum || c.kind == relation || about[c.kind]&t != 0:
			own = append(own, c)
		case !c.other:
			return Result{}
		}
	}
	if allowed != nil {
		return s.choose(t, allowed.values, own)
	}
	switch t {
	case Null:
		return s.choose(t, []any{nil}, own)
	case Bool:
		return s.choose(t, []any{true, false}, own)
	case String:
		return s.solveString(own)
	case Array:
		return orLarger(s.solveList, own, MinItems)
	case Object:
		return orLarger(s.solveObject, own, MinProps)
	}
	return s.solveNumber(t, own)
}

// orLarger solves the conjunction of own. If that is undecided, it seeks a list or an object
// larger than every value that own excludes.
func orLarger(solve func(own []*Cond) Result, own []*Cond, atLeast func(int64) *Cond) Result {
	r := solve(own)
	parts := -1
	for _, c := range own {
		if c.kind != enum || r.Status != Undecided {
			continue
		}
		for _, v := range c.values {
			switch v := v.(type) {
			case []any:
				parts = max(parts, len(v))
			case map[string]any:
				parts = max(parts, len(v))
			}
		}
	}
	if parts < 0 {
		return r
	}
	if larger := solve(append(slices.Clip(own), atLeast(int64(parts)+1))); larger.Status == Found {
		return larger
	}
	return r
}

// choose returns the first value of the type that satisfies the conditions, if there is one.
func (s *Solver) choose(t Mask, values []any, own []*Cond) Result {
	var out Result
	for _, v := range values {
		if reason := s.spend(1); reason != "" {
			return undecided(reason)
		}
		if TypeOf(v)&t == 0 {
			continue
		}
		switch s.evalAnd(own, v) {
		case yes:
			return found(v)
		case unknown:
			out = found(v)
		}
	}
	return out
}

func (s *Solver) pattern(expr string) *pattern.Pattern {
	p, ok := s.patterns[expr]
	if !ok {
		p, _ = pattern.Compile(expr, pattern.MaxStates(4096), pattern.MaxBytes(160<<10))
		s.patterns[expr] = p
	}
	return p
}

// Limits of what a solver keeps. Above them it forgets everything.
const (
	maxRemembered  = 1 << 14 // results
	maxKnown       = 1 << 16 // conditions
	maxConjunction = 64      // conditions of a conjunction whose result is kept
)

// A memory keeps the results of conjunctions, because a search meets the same conjunctions again.
// Results that depend on a limit are not kept.
type memory struct {
	conds     map[*Cond]uint32  // a number for each condition
	values    map[string]Result // by the numbers of the conditions, in order
	forgotten uint32            // how often all values were forgotten
	limited   int               // how often a limit ended a search
}

// known returns the result that was kept for the list, or a key for keepValue. The key is "" for a
// long conjunction, which rarely occurs twice.
func (m *memory) known(list []*Cond) (r Result, key string, ok bool) {
	if len(list) > maxConjunction {
		return Result{}, "", false
	}
	if len(m.values) >= maxRemembered || len(m.conds) >= maxKnown {
		clear(m.values)
		clear(m.conds)
		m.forgotten++ // unfinished searches have keys with the old numbers
	}
	text := binary.LittleEndian.AppendUint32(make([]byte, 0, 128), m.forgotten)
	for _, c := range list {
		n, ok := m.conds[c]
		if !ok {
			n = uint32(len(m.conds))
			m.conds[c] = n
		}
		text = binary.LittleEndian.AppendUint32(text, n)
	}
	r, ok = m.values[string(text)]
	if !ok {
		key = string(text)
	}
	return r, key, ok
}

func (m *memory) keepValue(key string, r Result) {
	if key != "" {
		m.values[key] = r
	}
}
