package cellib

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/debug"
	"github.com/google/cel-go/common/stdlib"
	"github.com/google/cel-go/ext"
	"go.yaml.in/yaml/v3"
)

// A group holds the expressions and texts of one library in testdata.
type group struct {
	Texts       []string
	Expressions []string
}

func groups(t testing.TB) map[string]group {
	t.Helper()
	text, err := os.ReadFile("testdata/expressions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]group
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// A pair is an expression that is compiled on both sides.
type pair struct {
	text         string
	ours, theirs cel.Program
}

// compiled returns the program of an expression, a description of the compiled
// expression or of its errors, and the overloads that it calls.
func (s side) compiled(text string) (p cel.Program, description string, calls []string) {
	checked, issues := s.env.Compile(text)
	if issues.Err() != nil {
		return nil, issues.Err().Error(), nil
	}
	for _, r := range checked.NativeRep().ReferenceMap() {
		calls = append(calls, r.OverloadIDs...)
	}
	asked := &sizes{}
	estimate, err := s.env.EstimateCost(checked, s.estimate(asked))
	description = fmt.Sprintf("%v, costs %v %v, asks for %q\n%s", checked.OutputType(), estimate, err, asked.asked,
		debug.ToDebugString(checked.NativeRep().Expr()))
	p, err = s.env.Program(checked, s.options...)
	if err != nil {
		return nil, description + err.Error(), calls
	}
	return p, description, calls
}

// pairs compiles expressions on both sides and compares the descriptions.
func pairs(t testing.TB, expressions []string, ours, theirs side) (list []pair, calls map[string]bool) {
	t.Helper()
	calls = map[string]bool{}
	for _, text := range expressions {
		p, got, called := ours.compiled(text)
		q, want, _ := theirs.compiled(text)
		if got != want {
			t.Errorf("%s: ours\n%s\nupstream\n%s", text, got, want)
		}
		for _, id := range called {
			calls[id] = true
		}
		if p != nil && q != nil {
			list = append(list, pair{text, p, q})
		}
	}
	return list, calls
}

func (p pair) compare(t testing.TB, vars map[string]any) {
	t.Helper()
	if got, want := run(p.ours, vars), run(p.theirs, vars); got != want {
		t.Errorf("%s with %v: ours\n%s\nupstream\n%s", p.text, vars, got, want)
	}
}

// assign returns values of the variables. The variables d and e may have any
// type.
func assign(s, t string, i int64, b bool, d, e int) map[string]any {
	pool := runnable()
	at := func(n int) any {
		if n %= len(pool) + 1; n >= 0 && n < len(pool) {
			return pool[n]
		}
		return s
	}
	return map[string]any{
		"s": s, "t": t, "i": i, "b": b, "d": at(d), "e": at(e),
		"strings": []string{s, t, "b"}[:i&3], "ints": []int64{i, 2, 2, -i},
	}
}

// TestExpressions compiles the expressions of testdata in every language, and
// runs them in the newest on all combinations of values.
func TestExpressions(t *testing.T) {
	all := groups(t)
	compiled, evaluations := 0, 0
	for minor := oldest; minor <= newest; minor++ {
		mine, upstream := ours(t, minor).with(t), theirs(minor).with(t)
		called := map[string]bool{}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			list, calls := pairs(t, all[name].Expressions, mine, upstream)
			maps.Copy(called, calls)
			compiled += len(list)
			if minor == newest {
				evaluations += evaluate(t, all[name].Texts, list)
			}
		}
		if minor == newest {
			reportMissing(t, upstream, called)
		}
	}
	fmt.Printf("cel expressions: %d programs, %d evaluations\n", compiled, evaluations)
}

// dynamic matches expressions with a variable of any type.
var dynamic = regexp.MustCompile(`\b[de]\b`)

func evaluate(t *testing.T, texts []string, list []pair) (n int) {
	kinds := len(runnable())
	for k := range len(texts) * len(texts) {
		vars := assign(texts[k%len(texts)], texts[k/len(texts)], int64(k%7-2), k%2 == 0, k, k/kinds+3*k)
		for _, p := range list {
			p.compare(t, vars)
			n++
		}
	}
	for k := range kinds * kinds {
		vars := assign(texts[k%len(texts)], "1", int64(k%3), true, k%kinds, k/kinds)
		for _, p := range list {
			if dynamic.MatchString(p.text) {
				p.compare(t, vars)
				n++
			}
		}
	}
	return n
}

// reportMissing reports each overload of the server, except those of cel-go,
// that no expression calls.
func reportMissing(t *testing.T, s side, called map[string]bool) {
	known := map[string]bool{}
	bare, err := cel.NewCustomEnv(cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Lists(), ext.TwoVarComprehensions())
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range bare.Functions() {
		for _, o := range fn.OverloadDecls() {
			known[o.ID()] = true
		}
	}
	for _, fn := range stdlib.Functions() {
		for _, o := range fn.OverloadDecls() {
			known[o.ID()] = true
		}
	}
	for _, fn := range s.env.Functions() {
		for _, o := range fn.OverloadDecls() {
			if !known[o.ID()] && !called[o.ID()] {
				t.Errorf("no expression calls %s of %s", o.ID(), fn.Name())
			}
		}
	}
}
