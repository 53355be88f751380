package pattern

import (
	"regexp/syntax"
	"testing"
)

// An automaton is built if it has at most as many states and bytes as the options allow. The start,
// each place within a match, and the place from which no match is possible are states. The end of a
// match is not a state.
func TestSmallestBounds(t *testing.T) {
	for _, tt := range []struct {
		expr   string
		states int
	}{
		{"", 0}, {"a", 1}, {"ab", 2}, {"^a", 2}, {"a$", 2}, {"^$", 2}, {"^(a|b)$", 3}, {"^[a-z]*$", 3}, {"^ab$", 4}, {"^a{3}$", 5},
	} {
		p, err := Compile(tt.expr)
		if err != nil || !p.Fast() {
			t.Fatalf("%s: %v", tt.expr, err)
		}
		bytes := p.matcher().auto.size()
		for _, bound := range []struct {
			name string
			opt  func(int) Option
			most int
		}{{"states", MaxStates, tt.states}, {"bytes", MaxBytes, bytes}} {
			for n, want := range map[int]bool{bound.most: true, bound.most - 1: false} {
				p, err := Compile(tt.expr, bound.opt(n))
				if err != nil || n >= 0 && p.Fast() != want {
					t.Errorf("%s with at most %d %s: Fast = %t, %v", tt.expr, n, bound.name, p.Fast(), err)
				}
			}
		}
	}
}

// Equal sets of runes are one set of the alphabet.
func TestSetsAreShared(t *testing.T) {
	for expr, want := range map[string]int{"[ab]": 1, "[ab]c[ab]": 2, "[ab][ab][ab]": 1, "a.b.a": 3, `\d\D\d`: 2} {
		parsed, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := syntax.Compile(parsed)
		if err != nil {
			t.Fatal(err)
		}
		a := &alphabet{setOf: make([]int, len(prog.Inst))}
		if got := len(a.collect(prog)); got != want {
			t.Errorf("%s has %d sets, want %d", expr, got, want)
		}
	}
}

// Work is used up by the steps that are spent.
func TestWork(t *testing.T) {
	w := work(5)
	for i, want := range []bool{true, true, false, false} {
		if got := w.spend(2); got != want {
			t.Errorf("after %d steps two more are left: %t", 2*i, got)
		}
	}
}
