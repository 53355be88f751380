package compat

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/celcond"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// transitions adds a goal for each new transition rule of a schema: an update that
// the rule refuses.
func (w *walk) transitions(o, n *schema.Node, steps []step, pointer string) {
	if w.readers {
		return
	}
	changed := w.changedAt(o, n)
	known := w.knownTransitions(o, steps)
	for i, rule := range n.Rules() {
		if !w.to.rules.translator.Rule(rule.Rule, n, changed).Transition || !rule.OptionalOldSelf && !correlatable(w.to.root, steps) {
			continue
		}
		g := goal{
			code: CodeTransition, role: Writers, steps: steps, target: search.True, rule: &rule, schema: o,
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
		if w.from.rules.translator.Rule(rule.Rule, o, nil).Transition && (rule.OptionalOldSelf || correlatable(w.from.root, steps)) {
			out = append(out, rule)
		}
	}
	return out
}

// impliesTransition reports whether each update that satisfies the known transition rules
// satisfies the rule of a goal. Otherwise it sets what the goal wants of an update.
func (w *walk) impliesTransition(known []schema.Rule, o, n *schema.Node, g *goal, changed func(path []string) bool) bool {
	same := slices.ContainsFunc(known, func(r schema.Rule) bool { return sameRule(r, *g.rule) })
	if same && !changed(nil) {
		return true
	}
	from, to := w.from.rules.translator, w.to.rules.translator
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
		present := within(g.steps, search.Types(search.Any&^search.Null)) // else nothing evaluates the rule
		g.update = search.And(eachSide(present), refused(path))
	}
	return false
}

// eachSide is the condition that both values of an update satisfy c.
func eachSide(c *search.Cond) *search.Cond {
	return search.And(search.At(celcond.Self, c), search.At(celcond.OldSelf, c))
}

// namesOf returns the names of steps that lead through properties only.
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

// correlatable reports whether a value below n has an old value, so that the server
// evaluates transition rules on it: elements only have one in lists of type map. All
// members of objects have one, also of atomic objects.
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

// pursueUpdate searches an update for a transition rule: two objects of the old
// definition whose values at the rule differ.
func (c *comparison) pursueUpdate(w *walk, object *search.Cond, g *goal) ([]Finding, error) {
	if found, err := c.solveUpdate(w, object, g); err != nil || len(found) > 0 {
		return found, err
	}
	solve := func(target *search.Cond) search.Result {
		return w.solve(object, within(g.steps, target))
	}
	first := solve(g.target)
	if first.Status == search.None {
		return nil, nil
	}
	if first.Status == search.Undecided {
		return []Finding{c.undecided(g, first.Reason)}, nil
	}
	values := partsAt(first.Value, g.steps)
	second := solve(search.Not(search.Enum(values...)))
	candidates := []any{first.Value, second.Value}
	if second.Status == search.Found {
		candidates = append(candidates, c.variations(w, object, g, append(values, partsAt(second.Value, g.steps)...))...)
	}
	var objects []map[string]any
	for _, v := range candidates {
		if obj, ok := v.(map[string]any); ok {
			objects = append(objects, c.admitted(w, w.leaner(obj, g)))
		}
	}
	tried := false
	for _, old := range objects {
		for _, obj := range objects {
			found, valid, err := c.confirmUpdate(g, obj, old)
			if err != nil || len(found) > 0 {
				return found, err
			}
			tried = tried || valid
		}
	}
	if second.Status == search.None && len(values) == 1 && tried {
		return nil, nil // only one value is possible, and both definitions admit it
	}
	return []Finding{c.undecided(g, "no update was found that the rule refuses")}, nil
}

// solveUpdate searches both objects of an update at once.
func (c *comparison) solveUpdate(w *walk, object *search.Cond, g *goal) ([]Finding, error) {
	if g.update == nil {
		return nil, nil
	}
	both, ok := w.solve(eachSide(object), g.update).Value.(map[string]any)
	if !ok {
		return nil, nil
	}
	obj, old := both[celcond.Self].(map[string]any), both[celcond.OldSelf].(map[string]any)
	found, _, err := c.confirmUpdate(g, c.admitted(w, w.leaner(obj, g)), c.admitted(w, w.leaner(old, g)))
	return found, err
}

// variations returns objects with other values at a goal: neither of those that are
// known, and such in which one more member is present.
func (c *comparison) variations(w *walk, object *search.Cond, g *goal, known []any) []any {
	targets := []*search.Cond{search.Not(search.Enum(known...))}
	for name := range g.schema.Properties() {
		targets = append(targets, search.At(name, search.True))
	}
	targets = append(targets, search.MinItems(1), search.MinItems(2), search.MinProps(1), search.MinRunes(2))
	var out []any
	for _, target := range targets[:min(len(targets), maxVariations)] {
		if r := w.solve(object, within(g.steps, target)); r.Status == search.Found {
			out = append(out, r.Value)
		}
	}
	return out
}

// maxVariations bounds the objects among which an update is searched.
const maxVariations = 10

// confirmUpdate returns the finding for an update that the old definition admits and the
// new one refuses because of a goal, and reports whether both admit it.
func (c *comparison) confirmUpdate(g *goal, obj, old map[string]any) (found []Finding, valid bool, err error) {
	d, valid, err := c.updateDifference(obj, old)
	if d == nil || !g.causes(d.errors) {
		return nil, valid, err
	}
	return []Finding{c.findingOf(g, d)}, false, nil
}

// updateDifference returns the difference if the old definition admits an update and the
// new one refuses it, and reports whether both admit it. Each definition reads the old
// object as the old one stored it.
func (c *comparison) updateDifference(obj, old map[string]any) (d *difference, valid bool, err error) {
	stored, err := c.write(c.ctx, c.oldVersion, old, nil)
	if err != nil || stored.object == nil {
		return nil, false, err
	}
	before, err := c.write(c.ctx, c.oldVersion, obj, stored.object)
	if err != nil || before.object == nil || drops(before.result) {
		return nil, false, err
	}
	read, _, err := c.newVersion.Read(c.ctx, stored.stored)
	if err != nil {
		return nil, false, c.ctx.Err() // pursue reports an object that cannot be read
	}
	converted := unstructuredCopy(obj)
	converted.SetAPIVersion(c.newVersion.GroupVersionKind().GroupVersion().String())
	after, err := c.write(c.ctx, c.newVersion, converted.Object, read.Object)
	if err != nil || after.object != nil {
		return nil, err == nil, err
	}
	return &difference{
		role: Writers, code: Refused, old: "admitted", new: after.answer(), errors: after.result.Errors,
		witness: Witness{Object: converted.Object, Old: stored.object},
	}, false, nil
}
