package celbranch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/cel/celbranch"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestTerms lists the terms of rules with the observers that they are true and false. An observer
// is empty if other results imply its result.
func TestTerms(t *testing.T) {
	var got strings.Builder
	for _, rule := range []string{
		`self.a > 0`,
		`!has(self.a) || self.a > 0`,
		`a && b && c`,
		`a || b && c`,
		`a ? b : c ? d : e`,
		`(a || b) == (c ? d : e)`,
		`self.l.all(x, x.a || x.b)`,
		`self.l.all(i, x, i > 0 && self.m[x].exists(y, y || x))`,
		`self.l.map(x, a && b, c || d).size() > 0`,
		`cel.bind(v, a || b, v && c)`,
		`self.?a.optMap(v, v || b).orValue(false) && f(c || d)`,
		"self == oldSelf || // text (\n a",
		`'a || b' == self[?0]`,
		`a in [b || c, d]`,
		"self == '''a || 'b'\n''' || self.matches(r\"\"\"a\"|\\.\"\"\")",
		`a || b`,
	} {
		r := celbranch.Split(rule)
		if !r.Complete {
			t.Errorf("%s: has a term without an observer", rule)
		}
		fmt.Fprintf(&got, "%s\n\tevaluated: %s\n\tfalse: %s\n", strings.Join(strings.Fields(rule), " "), oneLine(r.Evaluated()), oneLine(r.False))
		for _, term := range r.Terms {
			fmt.Fprintf(&got, "\t%s\n\t\ttrue:  %s\n\t\tfalse: %s\n", rule[term.Start:term.End], oneLine(term.True), oneLine(term.False))
		}
	}
	testkit.Recorded(t, "testdata/terms.txt", got.String())
}

func oneLine(o celbranch.Observer) string { return strings.Join(strings.Fields(o.Text), " ") }

// TestImplied lists what a result of a term implies.
func TestImplied(t *testing.T) {
	for _, tt := range []struct {
		rule, term string
		result     bool
		want       string
	}{
		{"a && b && c", "a", false, "a false"},
		{"a && b && c", "b", false, "b false, a true"},
		{"a && b && c", "c", true, "c true, b true, a true"},
		{"a && b && c", "rule", true, "rule true, c true, b true, a true"},
		{"a && b && c", "rule", false, "rule false"},
		{"(a || b)", "rule", false, "rule false, b false, a false"},
		{"(a || b)", "rule", true, "rule true"},
		{"a || (b && c)", "rule", false, "rule false"},
		{"a ? b || c : d", "rule", true, "rule true"},
		{"a || b", "b", false, "b false, a false"},
		{"a || (b && (c || d))", "c", true, "c true, (c || d) true, (b && (c || d)) true, a false, b true"},
		{"a || (b && (c || d))", "d", false, "d false, (c || d) false, (b && (c || d)) false, a false, b true, c false"},
		{"a || (b && (c || d))", "b", false, "b false, (b && (c || d)) false, a false"},
		{"l.all(x, a && b) || c", "b", true, "b true, a true"},
	} {
		r := celbranch.Split(tt.rule)
		text := func(i int) string {
			if i == celbranch.Whole {
				return "rule"
			}
			return tt.rule[r.Terms[i].Start:r.Terms[i].End]
		}
		for i := range len(r.Terms) + 1 {
			if i == len(r.Terms) {
				i = celbranch.Whole
			}
			if text(i) != tt.term {
				continue
			}
			var got []string
			r.Implied(i, tt.result, func(i int, result bool) { got = append(got, fmt.Sprint(text(i), " ", result)) })
			if g := strings.Join(got, ", "); g != tt.want {
				t.Errorf("%s: %s %v implies %s, want %s", tt.rule, tt.term, tt.result, g, tt.want)
			}
		}
	}
}

// TestTermsDeclines tests texts without terms, or with terms that cannot be observed.
func TestTermsDeclines(t *testing.T) {
	for name, rule := range map[string]string{
		"a literal of a map": `{'a': b} == self || b`,
		"an open bracket":    `(a || b`,
		"a closing bracket":  `a) || b`,
		"deep brackets":      strings.Repeat("(a || ", 200) + "b" + strings.Repeat(")", 200),
		"a long rule":        strings.Repeat("aaaaaaaaaa || ", 5000) + "b",
	} {
		r := celbranch.Split(rule)
		if r.Complete || r.False.Text != rule {
			t.Errorf("%s: all of %d terms are observed, or the rule is not", name, len(r.Terms))
		}
		if read := strings.HasPrefix(name, "deep") || strings.HasPrefix(name, "a long"); read == (r.True.Text != "") {
			t.Errorf("%s: %q observes that the rule is true", name, oneLine(r.True))
		}
	}
}
