package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
)

// checkAgainstRegexp compares Match with package regexp on each input: with the
// default options, without an automaton and with large bounds.
func checkAgainstRegexp(t *testing.T, expr string, inputs []string) {
	t.Helper()
	re, err := regexp.Compile(expr)
	if err != nil {
		t.Fatalf("regexp.Compile(%.80q): %v", expr, err)
	}
	var patterns []*Pattern
	for _, opts := range [][]Option{nil, {MaxStates(0)}, {MaxStates(1 << 16), MaxBytes(1 << 20)}} {
		p, err := Compile(expr, opts...)
		if err != nil {
			t.Fatalf("Compile(%.80q): %v", expr, err)
		}
		patterns = append(patterns, p)
	}
	for _, in := range inputs {
		want := re.MatchString(in)
		for _, p := range patterns {
			if got := p.Match(in); got != want {
				t.Fatalf("Compile(%.80q).Match(%q) = %v, want %v (fast %v)", expr, in, got, want, p.Fast())
			}
		}
	}
}

// count returns how many strings to grow. It returns fewer for patterns that
// package regexp matches.
func count(fast bool) int {
	if fast {
		return 300
	}
	return 10
}

// grown returns n strings grown from the expression.
func grown(t testing.TB, expr string, n int) []string {
	t.Helper()
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		t.Fatalf("syntax.Parse(%.80q): %v", expr, err)
	}
	g := grower{seed: uint64(len(expr))}
	list := make([]string, n)
	for i := range list {
		list[i] = g.grow(tree)
	}
	return list
}

func TestMatch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	for _, test := range patternTests {
		t.Run(test.name, func(t *testing.T) {
			inputs := append(grown(t, test.pattern, count(test.fast)), test.inputs...)
			checkAgainstRegexp(t, test.pattern, append(inputs, commonInputs...))
		})
	}
}

// TestMatchBothVerdicts checks that at least a fifth of the grown strings match and
// at least a fifth do not. Otherwise TestMatch would prove little.
func TestMatchBothVerdicts(t *testing.T) {
	matches, misses := 0, 0
	for _, test := range patternTests {
		re := regexp.MustCompile(test.pattern)
		for _, in := range grown(t, test.pattern, count(test.fast)) {
			if re.MatchString(in) {
				matches++
			} else {
				misses++
			}
		}
	}
	if total := matches + misses; matches < total/5 || misses < total/5 {
		t.Errorf("grown strings: %d match and %d miss; want at least a fifth each", matches, misses)
	}
}

// TestEdgesOfKinds looks at every byte on both sides of a word and of a line.
func TestEdgesOfKinds(t *testing.T) {
	var inputs []string
	for c := range rune(0x100) {
		s := string(c)
		inputs = append(inputs, s, "a"+s, s+"a", "-"+s, s+"-", "a"+s+"a")
	}
	for _, expr := range []string{`^.\b.$`, `^.\B.$`, `a\b`, `\ba`, `\b.$`, `(?m)^a`, `(?m)a$`, `(?ms)^.$\b.`, `(?i)[k-s]\b`, `\b[^a]`} {
		checkAgainstRegexp(t, expr, inputs)
	}
}

func TestFast(t *testing.T) {
	for _, test := range patternTests {
		p, err := Compile(test.pattern)
		if err != nil {
			t.Fatalf("%s: Compile: %v", test.name, err)
		}
		if p.Fast() != test.fast {
			t.Errorf("%s: Compile(%.60q).Fast() = %v, want %v", test.name, test.pattern, p.Fast(), test.fast)
		}
	}
}

func TestOptionsBound(t *testing.T) {
	const expr = `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`
	tests := []struct {
		name string
		opts []Option
		fast bool
	}{
		{"defaults", nil, true},
		{"too few states", []Option{MaxStates(10)}, false},
		{"too few bytes", []Option{MaxBytes(300)}, false},
		{"no states", []Option{MaxStates(0)}, false},
		{"negative bounds", []Option{MaxStates(-1), MaxBytes(-1)}, false},
		{"later options win", []Option{MaxStates(10), MaxStates(200)}, true},
		{"beyond what entries can address", []Option{MaxStates(1 << 30), MaxBytes(1 << 30)}, true},
	}
	for _, test := range tests {
		p, err := Compile(expr, test.opts...)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if p.Fast() != test.fast {
			t.Errorf("%s: Fast() = %v, want %v", test.name, p.Fast(), test.fast)
		}
		if !p.Match("a-b") || p.Match("a-") || p.Match(strings.Repeat("a", 64)) {
			t.Errorf("%s: wrong verdict", test.name)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	exprs := []string{
		`(`, `)`, `[`, `a**`, `\`, `\8`, `(?=a)`, `(?P<n`, `(?z)`, `[b-a]`, `a{1001}`, `(a{1000}){1000}`, "\xff", `\pX`,
		strings.Repeat("(", 2000) + strings.Repeat(")", 2000),
		strings.Repeat("(?:", 1001) + "a" + strings.Repeat(")*", 1001),
	}
	for _, expr := range exprs {
		_, want := regexp.Compile(expr)
		p, err := Compile(expr)
		if want == nil || err == nil || err.Error() != want.Error() || p != nil {
			t.Errorf("Compile(%.40q) = %v, %v; want nil, %v", expr, p, err, want)
		}
	}
}

func TestString(t *testing.T) {
	for _, expr := range []string{``, `a+`, `(a|b)*a(a|b){20}`} {
		p, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != expr {
			t.Errorf("Compile(%q).String() = %q", expr, p.String())
		}
	}
}

func TestAutomataAreSmall(t *testing.T) {
	for _, test := range patternTests {
		p, err := Compile(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if a := p.matcher().auto; a != nil && a.size() > defaultMaxBytes {
			t.Errorf("%s: the automaton has %d bytes, want at most %d", test.name, a.size(), defaultMaxBytes)
		}
	}
}

// TestHostileIsBounded checks that Compile takes less than two seconds for each
// expression of the table, hostile ones included.
func TestHostileIsBounded(t *testing.T) {
	for _, test := range patternTests {
		begin := time.Now()
		if _, err := Compile(test.pattern); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begin); d > 2*time.Second {
			t.Errorf("%s: Compile took %v", test.name, d)
		}
	}
}

func TestMatchAllocations(t *testing.T) {
	for _, test := range patternTests {
		p, err := Compile(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if !p.Fast() {
			continue
		}
		inputs := append(grown(t, test.pattern, 20), test.inputs...)
		got := testing.AllocsPerRun(10, func() {
			for _, in := range inputs {
				p.Match(in)
			}
		})
		if got != 0 {
			t.Errorf("%s: Match allocated %v times, want 0", test.name, got)
		}
	}
}

func TestMatchConcurrently(t *testing.T) {
	for _, expr := range []string{`^\p{L}+$`, `(a|b)*a(a|b){20}`} {
		p, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		in := strings.Repeat("ab", 30)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 100 {
					if !p.Match(in) {
						t.Errorf("Match(%q) = false, want true", in)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

func FuzzMatch(f *testing.F) {
	for _, test := range patternTests {
		for _, in := range test.inputs {
			f.Add(test.pattern, in)
		}
		f.Add(test.pattern, "")
	}
	fuzz.Run(f, func(t *testing.T, expr, in string) {
		want, wantErr := regexp.Compile(expr)
		p, err := Compile(expr)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("Compile(%q) error = %v, want %v", expr, err, wantErr)
		}
		// Package regexp takes long for long programs on long strings.
		if err != nil || len(expr) > 200 || len(in) > 2000 || strings.Count(expr, "{") > 3 {
			return
		}
		inputs := append(grown(t, expr, 10), in)
		for _, in := range inputs {
			if got, want := p.Match(in), want.MatchString(in); got != want {
				t.Errorf("Compile(%q).Match(%q) = %v, want %v (fast %v)", expr, in, got, want, p.Fast())
			}
		}
	})
}
