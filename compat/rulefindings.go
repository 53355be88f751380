package compat

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A ruled value is one whose rules differ.
type ruled struct {
	o, n    *schema.Node
	steps   []step
	pointer string
}

// sameRule reports whether two rules have the same text.
func sameRule(a, b schema.Rule) bool {
	return a.Rule == b.Rule && a.OptionalOldSelf == b.OptionalOldSelf
}

// hasRule reports whether a schema has a rule, perhaps with other white space.
func (w *walk) hasRule(n *schema.Node, rule schema.Rule) bool {
	translator := w.from.translator
	key := func(r schema.Rule) string { return translator.Rule(r.Rule, n, nil).Holds.Key() }
	return slices.ContainsFunc(n.Rules(), func(r schema.Rule) bool {
		return sameRule(r, rule) || r.OptionalOldSelf == rule.OptionalOldSelf && key(r) == key(rule)
	})
}

// recordRules records a value whose rules differ.
func (w *walk) recordRules(o, n *schema.Node, steps []step, pointer string) {
	if !w.readers && !slices.EqualFunc(o.Rules(), n.Rules(), sameRule) {
		w.ruled = append(w.ruled, ruled{o, n, steps, pointer})
	}
}

// ruleFindings returns the findings about rules themselves: those that are gone
// or rewritten, unless what the new definition admits satisfies them, and those of the new definition that refuse nothing, everything, or whatever another
// one admits. own are the conditions of the new definition.
func (c *comparison) ruleFindings(w *walk, own *conditions) []Finding {
	var out []Finding
	for i := range w.ruled {
		v := &w.ruled[i]
		rewritten := slices.DeleteFunc(slices.Clone(v.n.Rules()), func(r schema.Rule) bool { return w.hasRule(v.o, r) })
		for _, rule := range v.o.Rules() {
			if w.hasRule(v.n, rule) {
				continue
			}
			text := "the rule is gone: " + rule.Rule
			if len(rewritten) > 0 {
				text = fmt.Sprintf("the rule was %s and is %s", rule.Rule, rewritten[0].Rule)
				rewritten = rewritten[1:]
			}
			if !w.implied(v.n, rule, own) {
				out = append(out, c.ruleFinding(v, -1, CodeRuleRemoved, Compatible, Note, text))
			}
		}
		out = append(out, c.judgeRules(w, v, own)...)
	}
	return out
}

// implied reports whether each value of a schema of the new definition satisfies a rule of
// the old one.
func (w *walk) implied(n *schema.Node, rule schema.Rule, own *conditions) bool {
	translated := own.translator.Rule(rule.Rule, n, nil)
	return !translated.Transition && w.solve(own.of(n), search.Not(translated.Holds)).Status == search.None
}

func (c *comparison) ruleFinding(v *ruled, index int, code Code, verdict Verdict, severity Severity, text string) Finding {
	f := c.finding(code, verdict, severity, Rules)
	f.Pointer += v.pointer
	if index >= 0 {
		f.Pointer = fmt.Sprintf("%s/x-kubernetes-validations/%d", f.Pointer, index)
	}
	f.Field, f.Text = fieldOf(v.steps), text
	return f
}

// judgeRules judges the new rules of a value beside its schema and each other.
func (c *comparison) judgeRules(w *walk, v *ruled, own *conditions) []Finding {
	rest := own.without(v.n, CodeRule)
	none := func(conds ...*search.Cond) bool {
		return own.solver.Solve(search.And(append(conds, rest)...)).Status == search.None
	}
	if none() {
		return nil // the schema admits no value, whatever the rules are
	}
	var out []Finding
	var possible []keyword
	for _, k := range own.ruleKeywords(v.n) {
		index := slices.IndexFunc(v.n.Rules(), func(r schema.Rule) bool { return sameRule(r, *k.rule) })
		isNew := !w.hasRule(v.o, *k.rule)
		if none(k.cond) {
			if isNew {
				out = append(out, c.ruleFinding(v, index, CodeRuleNever, Incompatible, Error, "the rule holds for no value that the schema admits: "+k.rule.Rule))
			}
			continue
		}
		if isNew && !k.rule.OptionalOldSelf && none(search.Not(k.cond)) {
			out = append(out, c.ruleFinding(v, index, CodeRuleRedundant, Compatible, Note, "the rule holds for every value that the schema admits: "+k.rule.Rule))
		}
		for _, other := range possible {
			if isNew && none(k.cond, other.cond) {
				out = append(out, c.ruleFinding(v, index, CodeRuleContradiction, Incompatible, Error, fmt.Sprintf("the rule contradicts another one: %s; %s", k.rule.Rule, other.rule.Rule)))
			}
		}
		possible = append(possible, k)
	}
	return out
}
