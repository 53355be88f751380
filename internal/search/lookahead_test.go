package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRandomOpaqueConditions checks that a condition with opaque parts has no value only
// if no small value satisfies it, whatever the truths of those parts are.
func TestRandomOpaqueConditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	literal := func() *Cond {
		switch rng.IntN(6) {
		case 0:
			return randomCond(rng, 0)
		case 1:
			return []*Cond{At("a", True), IfAt("a", False), Vacuous(At("a", True)), Vacuous(IfAt("a", False))}[rng.IntN(4)]
		}
		return Opaque([]string{"x", "y", "z"}[rng.IntN(3)], Mask(1+rng.IntN(6)))
	}
	values, none := universe(), 0
	for range 500 {
		var parts []*Cond
		for range 2 + rng.IntN(6) {
			parts = append(parts, Or(literal(), And(literal(), literal())))
		}
		c := And(parts...)
		s := NewSolver(context.Background(), 1<<18)
		if s.Solve(c).Status != None {
			continue
		}
		none++
		for truths := range 27 {
			known := assigned(c, map[string]Mask{"x": 1 << (truths % 3), "y": 1 << (truths / 3 % 3), "z": 1 << (truths / 9)})
			for _, v := range values {
				if s.Satisfied(known, v) {
					t.Fatalf("no value found for %s, but %v", dump(known), v)
				}
			}
		}
	}
	if none < 40 {
		t.Errorf("only %d conditions have no value", none)
	}
}

// assigned returns c with truths in place of its opaque parts.
func assigned(c *Cond, truths map[string]Mask) *Cond {
	if c.kind == opaque {
		return boolean(c.mask&truths[c.text] != 0)
	}
	if c.kind != and && c.kind != or {
		return c
	}
	subs := make([]*Cond, len(c.subs))
	for i, sub := range c.subs {
		subs[i] = assigned(sub, truths)
	}
	if c.kind == and {
		return And(subs...)
	}
	return Or(subs...)
}

// TestSolveChecksOtherParts checks that Solve finds a member without possible value before it
// tries all choices of the other members.
func TestSolveChecksOtherParts(t *testing.T) {
	var parts []*Cond
	for i := range 30 {
		name := fmt.Sprintf("m%d", i)
		parts = append(parts, Or(At(name, Enum("a")), At(name, Enum("b"))))
	}
	small := At("z", AtMost(1, false))
	last := Or(At("z", And(Types(Integer), AtLeast(5, false))), At("z", And(Types(Integer), AtLeast(7, false))))
	s := NewSolver(context.Background(), 1<<16)
	if r := s.Solve(And(append(parts, small, last)...)); r.Status != None {
		t.Errorf("%+v, want no value", r)
	}
}

// TestSolveManyElements checks that long lists of elements that differ take work that
// does not grow with the third power of their length.
func TestSolveManyElements(t *testing.T) {
	text := And(Types(String), Matches("^[a-z]*$"), Not(MinRunes(4)))
	element := And(Types(Object), At("k", text), At("l", text))
	for name, list := range map[string]*Cond{
		"two keys":                    And(EveryItem(element), Distinct("k", "l")),
		"few values of the first key": And(EveryItem(And(Types(Object), At("k", Enum("a", "b")), At("l", text))), Distinct("k", "l")),
		"strings":                     And(EveryItem(text), Distinct()),
	} {
		s := NewSolver(context.Background(), 1<<19)
		c := And(Types(Array), MinItems(300), list)
		r := s.Solve(c)
		if r.Status != Found || !s.Satisfied(c, r.Value) {
			t.Errorf("%s: status %d, %s, want a value", name, r.Status, r.Reason)
		}
	}
	exhausted := And(Types(Array), MinItems(30), EveryItem(And(Types(Object), At("k", And(Types(String), Matches("^[a-z]$"))))), Distinct("k"))
	if r := NewSolver(context.Background(), 1<<19).Solve(exhausted); r.Status == Found {
		t.Errorf("30 letters differ: %v", r.Value)
	}
}
