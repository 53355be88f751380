package compat

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/celcond"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// ruleKeywords returns the conditions of the rules, except transition rules.
func (k *conditions) ruleKeywords(n *schema.Node) []keyword {
	var out []keyword
	for i, rule := range n.Rules() {
		translated := k.translator.Rule(rule.Rule, n, k.changed)
		if translated.Transition && !rule.OptionalOldSelf {
			continue
		}
		holds := translated.Holds
		if n.Nullable() { // the server evaluates no rule on null
			holds = search.Or(search.Types(search.Null), holds)
		}
		w := newKeyword(CodeRule, holds, rule.Rule, fmt.Sprintf("/x-kubernetes-validations/%d", i))
		w.rule = &rule
		out = append(out, w)
	}
	return out
}

// knownCounts returns a function that finds a Count in the rules of o that equals c and has another
// name. See [celcond.Count].
func (w *walk) knownCounts(o *schema.Node) func(c celcond.Count) (name string, ok bool) {
	var known []celcond.Count
	for _, rule := range o.Rules() {
		known = append(known, w.from.translator.Rule(rule.Rule, o, nil).Counts...)
	}
	if len(known) == 0 || w.readers {
		return nil
	}
	return func(c celcond.Count) (name string, ok bool) {
		for i := range known {
			if k := &known[i]; k.Name != c.Name && slices.Equal(k.List, c.List) && w.agree(o, k, &c) {
				return k.Name, true
			}
		}
		return "", false
	}
}

// agree reports whether c holds where known holds, and fails where known fails.
func (w *walk) agree(o *schema.Node, known, c *celcond.Count) bool {
	for _, name := range known.List {
		if name == celcond.Items {
			return false
		}
		o = memberSchema(o, name)
	}
	element := w.from.of(o.Items())
	pair := search.And(search.Types(search.Object), search.At(celcond.First, element), search.At(celcond.Second, element))
	differ := func(known, c *search.Cond) bool { return w.solve(pair, known, search.Not(c)).Status != search.None }
	return !differ(known.Holds, c.Holds) && !differ(known.Fails, c.Fails)
}

// transforms reports whether new rules may see a value that differs from the stored value. Parts
// may be pruned or defaulted, get another type, or lose a null.
func (w *walk) transforms(o, n *schema.Node) bool {
	if o == n {
		return false
	}
	pair := [2]*schema.Node{o, n}
	if known, ok := w.changed[pair]; ok {
		return known
	}
	w.changed[pair] = true // in case a schema contains itself
	changed := retyped(o, n) || reordered(o, n) || o.Nullable() && !n.Nullable() || w.transformsMembers(o, n) || w.transforms(o.Items(), n.Items())
	if !changed {
		changed = w.transforms(additionalOf(o), additionalOf(n)) || w.from.otherValues(o) != search.False && w.to.otherValues(n) == search.False
	}
	w.changed[pair] = changed
	return changed
}

// retyped reports whether rules see values of different types. For example, 5/2 is 2 for integers
// and 2.5 for numbers.
func retyped(o, n *schema.Node) bool {
	return o != nil && n != nil && (o.Kind() != n.Kind() || o.IntOrString() != n.IntOrString() || celcond.SpecialFormat(o) != celcond.SpecialFormat(n) || o.EmbeddedResource() != n.EmbeddedResource())
}

// reordered reports whether rules compare the lists of the two schemas differently.
func reordered(o, n *schema.Node) bool {
	return o != nil && n != nil && (celListType(o) != celListType(n) || !slices.Equal(o.ListMapKeys(), n.ListMapKeys()))
}

// celListType returns the list type if rules ignore the order of elements, otherwise "".
func celListType(n *schema.Node) string {
	if listType, _ := n.ListType(); listType != "atomic" {
		return listType
	}
	return ""
}

func (w *walk) transformsMembers(o, n *schema.Node) bool {
	for name := range o.Properties() {
		if w.transformsMember(o, n, name) || w.transforms(o.Property(name), n.Property(name)) {
			return true
		}
	}
	for name, child := range n.Properties() {
		if _, has := child.Default(); has && o.Property(name) == nil {
			return true
		}
	}
	return false
}

// transformsMember reports whether the new definition may add, drop or replace a member.
func (w *walk) transformsMember(o, n *schema.Node, name string) bool {
	old, child := o.Property(name), n.Property(name)
	_, has := child.Default()
	switch {
	case old == nil:
		return has
	case child == nil:
		return w.to.otherValues(n) == search.False
	case old.Nullable() && !child.Nullable():
		return true
	}
	_, had := old.Default()
	return !sameDefault(old, child) && (had || !slices.Contains(o.Limits().Required, name))
}

// changedAt returns a function that reports whether the value that rules see at a path may differ
// from the stored value; see [celcond.Translator.Rule].
func (w *walk) changedAt(o, n *schema.Node) func(path []string) bool {
	if w.readers {
		return nil
	}
	return func(path []string) bool {
		o, n := o, n
		for _, name := range path {
			if o == n {
				return false
			}
			switch name {
			case celcond.Presence:
				return false
			case celcond.Size:
				return retyped(o, n) || o.Kind() == schema.KindObject && w.transforms(o, n)
			case celcond.Items:
				o, n = o.Items(), n.Items()
				continue
			}
			if w.transformsMember(o, n, name) {
				return true
			}
			if o.Property(name) == nil && n.Property(name) != nil {
				return w.from.otherValues(o) != search.False
			}
			o, n = memberSchema(o, name), memberSchema(n, name)
		}
		return w.transforms(o, n)
	}
}

func sameDefault(o, n *schema.Node) bool {
	before, had := o.Default()
	after, has := n.Default()
	return had == has && (!had || jsonval.Equal(before, after))
}

type ruleChange struct {
	o, n    *schema.Node
	steps   []step
	pointer string
}

func sameRule(a, b schema.Rule) bool {
	return a.Rule == b.Rule && a.OptionalOldSelf == b.OptionalOldSelf
}

// hasRule reports whether a schema has a rule. White space may differ.
func (w *walk) hasRule(n *schema.Node, rule schema.Rule) bool {
	translator := w.from.translator
	key := func(r schema.Rule) string { return translator.Rule(r.Rule, n, nil).Holds.Key() }
	return slices.ContainsFunc(n.Rules(), func(r schema.Rule) bool {
		return sameRule(r, rule) || r.OptionalOldSelf == rule.OptionalOldSelf && key(r) == key(rule)
	})
}

func (w *walk) recordRules(o, n *schema.Node, steps []step, pointer string) {
	if !w.readers && !slices.EqualFunc(o.Rules(), n.Rules(), sameRule) {
		w.ruleChanges = append(w.ruleChanges, ruleChange{o, n, steps, pointer})
	}
}

// ruleFindings returns findings about
//
//   - old rules that are gone or rewritten, if the new definition does not imply them;
//   - new rules that refuse nothing or everything, or contradict another rule.
func (c *comparison) ruleFindings(w *walk, own *conditions) []Finding {
	var out []Finding
	for i := range w.ruleChanges {
		v := &w.ruleChanges[i]
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
				out = append(out, c.ruleFinding(v, -1, CodeRuleRemoved, VerdictCompatible, SeverityNote, text))
			}
		}
		out = append(out, c.judgeRules(w, v, own)...)
	}
	return out
}

// implied reports whether each value that the new definition admits satisfies an old rule.
func (w *walk) implied(n *schema.Node, rule schema.Rule, own *conditions) bool {
	translated := own.translator.Rule(rule.Rule, n, nil)
	return !translated.Transition && w.solve(own.of(n), search.Not(translated.Holds)).Status == search.None
}

func (c *comparison) ruleFinding(v *ruleChange, index int, code Code, verdict Verdict, severity Severity, text string) Finding {
	f := c.finding(code, verdict, severity, RoleRules)
	f.Pointer += v.pointer
	if index >= 0 {
		f.Pointer = fmt.Sprintf("%s/x-kubernetes-validations/%d", f.Pointer, index)
	}
	f.Field, f.Text = fieldOf(v.steps), text
	return f
}

// judgeRules judges the new rules of a value, together with each other and with the schema.
func (c *comparison) judgeRules(w *walk, v *ruleChange, own *conditions) []Finding {
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
				out = append(out, c.ruleFinding(v, index, CodeRuleNever, VerdictIncompatible, SeverityError, "the rule holds for no value that the schema admits: "+k.rule.Rule))
			}
			continue
		}
		if isNew && !k.rule.OptionalOldSelf && none(search.Not(k.cond)) {
			out = append(out, c.ruleFinding(v, index, CodeRuleRedundant, VerdictCompatible, SeverityNote, "the rule holds for every value that the schema admits: "+k.rule.Rule))
		}
		for _, other := range possible {
			if isNew && none(k.cond, other.cond) {
				out = append(out, c.ruleFinding(v, index, CodeRuleContradiction, VerdictIncompatible, SeverityError, fmt.Sprintf("the rule contradicts another one: %s; %s", k.rule.Rule, other.rule.Rule)))
			}
		}
		possible = append(possible, k)
	}
	return out
}
