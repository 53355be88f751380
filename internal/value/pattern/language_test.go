package pattern

import (
	"strings"
	"testing"
)

func patterns(t *testing.T, exprs string) []*Pattern {
	t.Helper()
	var out []*Pattern
	for _, e := range strings.Fields(exprs) {
		p, err := Compile(e)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

func TestShortest(t *testing.T) {
	for _, c := range []struct {
		match, exclude string
		low, high      int
		want           string
		found          bool
	}{
		{"", "", 0, -1, "", true},
		{"", "", 3, -1, "aaa", true},
		{"", "", 3, 2, "", false},
		{"^[a-z]+$", "", 0, -1, "a", true},
		{"^[a-z]+$", "", 5, 5, "aaaaa", true},
		{"^[a-z]+$ ^.{0,3}$", "", 4, -1, "", false},
		{"^[a-z0-9]+$", "^[a-z]+$", 0, -1, "0", true},
		{"^[a-z0-9]+$", "^[a-z]+$", 3, -1, "aa0", true},
		{"^[a-z]+$", "^[a-z0-9]+$", 0, -1, "", false},
		{"^(foo|bar)$", "^foo$", 0, -1, "bar", true},
		{"^(foo|bar)$", "^foo$ ^bar$", 0, -1, "", false},
		{"^é+$", "", 2, 2, "éé", true},
		{"^\\p{Greek}$", "^[α-ω]$", 0, -1, "Ͱ", true},
		{"b$ ^a", "", 0, -1, "ab", true},
		{"", ".", 0, -1, "", true},
		{"", ".", 1, 1, "\n", true},
		{"", ".|\\n", 1, -1, "", false},
	} {
		l := Language{patterns(t, c.match), patterns(t, c.exclude), c.low, c.high}
		got, found, decided := l.Shortest(1 << 20)
		if !decided || found != c.found || got != c.want {
			t.Errorf("match %q exclude %q %d..%d: %q, %v, %v; want %q, %v", c.match, c.exclude, c.low, c.high, got, found, decided, c.want, c.found)
		}
		for _, p := range l.Match {
			if found && !p.Match(got) {
				t.Errorf("%q does not match %s", got, p)
			}
		}
		for _, p := range l.Exclude {
			if found && p.Match(got) {
				t.Errorf("%q matches %s", got, p)
			}
		}
	}
}

func TestShortestIsBounded(t *testing.T) {
	for name, l := range map[string]Language{
		"work":         {Match: patterns(t, "^(a|b)*a(a|b){4}$ ^(a|b)*b(a|b){5}$"), MinRunes: 500, MaxRunes: -1},
		"no automaton": {Match: patterns(t, "(a|b)*a(a|b){20}"), MaxRunes: -1},
	} {
		if _, _, decided := l.Shortest(1000); decided {
			t.Errorf("%s: decided", name)
		}
	}
}
