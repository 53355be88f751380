package search

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// alike returns a condition of an object. Each of its members, and two more, must satisfy one of
// two alternatives.
func alike(members int) *Cond {
	parts := []*Cond{Types(Object)}
	for i := range members {
		name := fmt.Sprintf("m%d", i)
		either := Or(And(Types(String), MinRunes(3), Not(Matches("a"))), And(Types(String), Matches("^b")))
		parts = append(parts, At(name, And(either, Matches("^[ab]+$"))))
	}
	last := Or(At("x", False), At("x", And(Types(Integer), AtLeast(1, false))))
	return And(append(parts, last, Or(At("y", False), At("y", Types(Bool))))...)
}

// TestSolveAgain changes each value that it gets, which must not change later ones.
func TestSolveAgain(t *testing.T) {
	s := NewSolver(context.Background(), 1<<20)
	part := And(Types(Object), At("list", And(Types(Array), MinItems(1), EveryItem(Enum(map[string]any{"a": int64(1)})))))
	whole := And(Types(Object), At("one", part), At("two", part))
	inner := map[string]any{"list": []any{map[string]any{"a": int64(1)}}}
	want := found(map[string]any{"one": inner, "two": inner})
	for range 3 {
		got := s.Solve(whole)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		one := got.Value.(map[string]any)["one"].(map[string]any)
		one["list"].([]any)[0].(map[string]any)["a"] = "changed"
	}
}

func TestSolveAfterTheLimit(t *testing.T) {
	s := NewSolver(context.Background(), 3)
	c := alike(4)
	if r := s.Solve(c); r.Status != Undecided || r.Reason != workLimit {
		t.Errorf("with little work: %+v, want %q", r, workLimit)
	}
	s.SetWork(1 << 20)
	if r := s.Solve(c); r.Status != Found {
		t.Errorf("with more work: %+v, want a value", r)
	}
}

// TestSolveForgets solves more conditions than are remembered.
func TestSolveForgets(t *testing.T) {
	s := NewSolver(context.Background(), 1<<30)
	c := And(Types(Array), EveryItem(Types(Integer)), Distinct(), MinItems(3))
	for i := range int64(2 * maxRemembered / 5) {
		r := s.Solve(And(c, SomeItem(AtLeast(float64(i+1), false))))
		if diff := cmp.Diff([]any{i + 1, int64(0), int64(1)}, r.Value); i > 0 && diff != "" {
			t.Fatalf("%d: %s (-want +got):\n%s", i, r.Reason, diff)
		}
	}
	if s.memory.forgotten == 0 || len(s.memory.values) > 2*maxRemembered || len(s.memory.conds) > 2*maxKnown {
		t.Errorf("forgot %d times, kept %d values of %d conditions", s.memory.forgotten, len(s.memory.values), len(s.memory.conds))
	}
}

// TestSolveKeepsParts checks that a search does not solve the members of an object
// again for each alternative elsewhere.
func TestSolveKeepsParts(t *testing.T) {
	s := NewSolver(context.Background(), 1<<20)
	c := alike(50)
	if r := s.Solve(c); r.Status != Found {
		t.Fatalf("%+v", r)
	}
	if used := 1<<20 - s.Work(); used > 4000 {
		t.Errorf("%d steps, want at most 4000", used)
	}
	before := s.Work()
	if s.Solve(c); s.Work() != before {
		t.Errorf("%d steps for a known condition, want 0", before-s.Work())
	}
}

// TestSolveLongLists checks that the conditions of the elements of a long list, which
// must differ from all others, are not kept.
func TestSolveLongLists(t *testing.T) {
	s := NewSolver(context.Background(), 1<<30)
	r := s.Solve(And(Types(Array), EveryItem(Types(Integer)), Distinct(), MinItems(500)))
	if r.Status != Found || len(r.Value.([]any)) != 500 {
		t.Fatalf("%+v, want 500 integers", r)
	}
	if len(s.memory.conds) > maxConjunction*maxConjunction {
		t.Errorf("%d conditions are kept", len(s.memory.conds))
	}
}
