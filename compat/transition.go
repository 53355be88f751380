package compat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/celcond"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// transitions adds a goal for each new transition rule: an update that the rule refuses.
func (w *walk) transitions(o, n *schema.Node, steps []step, pointer string) {
	if w.readers {
		return
	}
	changed := w.changedAt(o, n)
	known := w.knownTransitions(o, steps)
	for i, rule := range n.Rules() {
		if !w.to.translator.Rule(rule.Rule, n, changed).Transition || !rule.OptionalOldSelf && !correlatable(w.to.root, steps) {
			continue
		}
		g := goal{
			code: CodeTransition, role: RoleWriters, steps: steps, target: search.True, rule: &rule,
			pointer: fmt.Sprintf("%s/x-kubernetes-validations/%d", pointer, i),
			text:    "the transition rule is new or changed: " + rule.Rule,
		}
		if !w.impliesTransition(known, o, n, &g, changed) {
			w.goals = append(w.goals, g)
		}
	}
}

// knownTransitions returns the transition rules that the first side evaluates on a value.
func (w *walk) knownTransitions(o *schema.Node, steps []step) []schema.Rule {
	var out []schema.Rule
	for _, rule := range o.Rules() {
		if w.from.translator.Rule(rule.Rule, o, nil).Transition && (rule.OptionalOldSelf || correlatable(w.from.root, steps)) {
			out = append(out, rule)
		}
	}
	return out
}

// impliesTransition reports whether every update that satisfies the known rules satisfies g.rule.
// If not, it may set g.update to the condition of an update that g.rule refuses.
func (w *walk) impliesTransition(known []schema.Rule, o, n *schema.Node, g *goal, changed func(path []string) bool) bool {
	same := slices.ContainsFunc(known, func(r schema.Rule) bool { return sameRule(r, *g.rule) })
	if same && !changed(nil) {
		return true
	}
	from, to := w.from.translator, w.to.translator
	if !g.rule.OptionalOldSelf || same {
		conds := []*search.Cond{w.from.of(o), search.Not(to.Rule(g.rule.Rule, n, changed).Holds)}
		for _, rule := range known {
			conds = append(conds, from.Rule(rule.Rule, o, nil).Holds)
		}
		if w.solve(conds...).Status == search.None {
			return true
		}
	}
	if g.rule.OptionalOldSelf || w.from.open || w.to.open {
		return false
	}
	refused := func(path []string) *search.Cond {
		conds := []*search.Cond{search.Types(search.Object), search.Not(to.Update(g.rule.Rule, n, path, changed).Holds)}
		for _, rule := range known {
			if !rule.OptionalOldSelf {
				conds = append(conds, from.Update(rule.Rule, o, path, nil).Holds)
			}
		}
		return search.And(conds...)
	}
	if w.solve(refused(nil), eachSide(w.from.of(o))).Status == search.None {
		return true
	}
	if path, ok := namesOf(g.steps); ok {
		present := within(g.steps, search.Types(search.Any&^search.Null)) // the server evaluates the rule only then
		g.update = search.And(eachSide(present), refused(path))
	}
	return false
}

// eachSide returns the condition that both values of an update satisfy c.
func eachSide(c *search.Cond) *search.Cond {
	return search.And(search.At(celcond.Self, c), search.At(celcond.OldSelf, c))
}

func namesOf(steps []step) ([]string, bool) {
	var out []string
	for _, s := range steps {
		if s.item || s.others != nil {
			return nil, false
		}
		out = append(out, s.name)
	}
	return out, true
}

// correlatable reports whether transition rules have an old value for the value at the steps below
// n. Elements have an old value only in lists of type map.
func correlatable(n *schema.Node, steps []step) bool {
	for _, s := range steps {
		switch listType, _ := n.ListType(); {
		case s.item && listType != "map":
			return false
		case s.item:
			n = n.Items()
		case s.others != nil:
			n, _ = n.AdditionalProperties()
		default:
			n = memberSchema(n, s.name)
		}
	}
	return true
}

// pursueUpdate searches for an update that a transition rule refuses: two objects that differ at
// the value of the rule.
func (c *comparison) pursueUpdate(w *walk, object *search.Cond, g *goal) ([]Finding, error) {
	if g.update != nil {
		if both, ok := w.solve(eachSide(object), g.update).Value.(map[string]any); ok {
			found, err := c.confirm(w, g, both[celcond.Self].(map[string]any), both[celcond.OldSelf].(map[string]any))
			if err != nil || len(found) > 0 {
				return found, err
			}
		}
	}
	r := w.solve(object, within(g.steps, g.target))
	switch r.Status {
	case search.None:
		return nil, nil
	case search.Undecided:
		return []Finding{c.undecided(g, r.Reason)}, nil
	}
	first, values := r.Value.(map[string]any), partsAt(r.Value, g.steps)
	other := w.solve(object, within(g.steps, search.Not(search.Enum(values...))))
	second, _ := other.Value.(map[string]any)
	candidates := slices.Concat(w.candidates(first, g), w.candidates(second, g))
	for _, old := range candidates {
		for _, obj := range candidates {
			found, err := c.confirm(w, g, obj, old)
			if err != nil || len(found) > 0 {
				return found, err
			}
		}
	}
	if len(values) == 1 && other.Status == search.None { // only one value is possible
		answer, _, err := c.differences(false, first, first)
		if err != nil || answer != nil && answer.object != nil && !drops(answer.result) {
			return nil, err
		}
	}
	if found, err := c.seek(w, g, search.Case{Object: first, Old: first}); err != nil || len(found) > 0 {
		return found, err
	}
	return []Finding{c.undecided(g, "no update was found that the rule refuses")}, nil
}

// updateDifferences returns the difference if only the old definition admits an update. Each
// definition reads the old object as the old definition stored it.
func (c *comparison) updateDifferences(obj map[string]any, before, stored *outcome) (*outcome, []difference, error) {
	read, _, err := c.after.version.Read(c.ctx, stored.stored)
	if err != nil {
		return nil, nil, c.ctx.Err() // pursue reports objects that cannot be read
	}
	after, err := c.write(c.ctx, c.after.version, obj, read.Object)
	if err != nil || after.object != nil {
		return before, nil, err
	}
	witness := Witness{Object: maps.Clone(obj), Old: stored.object}
	witness.Object["apiVersion"] = c.after.version.GroupVersionKind().GroupVersion().String()
	return before, []difference{{role: RoleWriters, code: CodeRefused, old: "admitted", new: after.answer(), errors: after.result.Errors, witness: witness}}, nil
}
