package search

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPropagate(t *testing.T) {
	x, notX := Opaque("x", Holds), Opaque("x", Fails|Errors)
	y := Opaque("y", Holds)
	a, noA := At("a", True), And(Types(Object), IfAt("a", False))
	two := Or(IsTrue(), MinRunes(1)) // of which nothing is known
	relation := Relation([]string{"a"}, []string{"b"}, Same)
	for name, c := range map[string]struct {
		base, alternatives, wantBase, wantOpen []*Cond
		impossible                             bool
	}{
		"nothing known":           {alternatives: []*Cond{two}, wantOpen: []*Cond{two}},
		"opaque part holds":       {base: []*Cond{x}, alternatives: []*Cond{Or(x, y)}},
		"opaque part fails":       {base: []*Cond{x}, alternatives: []*Cond{Or(notX, y)}, wantBase: []*Cond{y}},
		"all parts fail":          {base: []*Cond{x}, alternatives: []*Cond{Or(notX, And(y, notX))}, impossible: true},
		"base contradicts itself": {base: []*Cond{x, notX}, impossible: true},
		"forced part is used":     {base: []*Cond{x}, alternatives: []*Cond{Or(Not(y), two), Or(notX, y)}, wantBase: []*Cond{y}, wantOpen: []*Cond{Or(Not(y), two)}},
		"forced disjunction":      {base: []*Cond{x}, alternatives: []*Cond{Or(notX, And(y, Or(noA, two)))}, wantBase: []*Cond{y}, wantOpen: []*Cond{Or(noA, two)}},
		"member is present":       {base: []*Cond{a}, alternatives: []*Cond{Or(noA, y)}, wantBase: []*Cond{y}},
		"member is absent":        {base: []*Cond{Types(Object), IfAt("a", False)}, alternatives: []*Cond{Or(At("a", IsTrue()), y), Or(IfAt("a", IsTrue()), y)}, wantBase: []*Cond{y}},
		"absent in any value":     {base: []*Cond{Vacuous(IfAt("a", False))}, alternatives: []*Cond{Or(a, y)}, wantOpen: []*Cond{Or(a, y)}},
		"present in any object":   {base: []*Cond{Vacuous(a)}, alternatives: []*Cond{Or(noA, y)}, wantOpen: []*Cond{Or(noA, y)}},
		"present and absent":      {base: []*Cond{a, IfAt("a", False)}, impossible: true},
		"type":                    {base: []*Cond{Types(String)}, alternatives: []*Cond{Or(Types(Number), y), Or(Types(String), x)}, wantBase: []*Cond{y}},
		"no type":                 {base: []*Cond{Types(String), Types(Array)}, impossible: true},
		"relation":                {base: []*Cond{relation}, alternatives: []*Cond{Or(Not(relation), y)}, wantBase: []*Cond{y}},
	} {
		base, open, ok := propagate(c.base, c.alternatives)
		if ok == c.impossible {
			t.Errorf("%s: impossible is %v", name, !ok)
			continue
		}
		if got, want := dumps(base), dumps(slices.Concat(c.base, c.wantBase)); ok && got != want {
			t.Errorf("%s: base %s, want %s", name, got, want)
		}
		if got, want := dumps(open), dumps(c.wantOpen); ok && got != want {
			t.Errorf("%s: open %s, want %s", name, got, want)
		}
	}
}

func dumps(list []*Cond) (out string) {
	for _, c := range list {
		out += dump(c) + " "
	}
	return out
}

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

// TestSolveChecksOtherParts checks that a member for which nothing is possible is found without
// a search through the choices of the other ones.
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
