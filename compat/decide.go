package compat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/validation"
)

// decide collects the goals of each role. For each goal it searches for an object, and confirms the
// goal with both definitions.
func (c *comparison) decide() []Finding {
	solver := search.NewSolver(c.ctx, c.work)
	old, crd := c.side(false), c.side(true)
	before := newConditions(solver, old, false)
	writers := newWalk(before, newConditions(solver, crd, true), false, c.hiddenByStorage)
	out := c.role(writers, before.object())
	solver.SetWork(c.work)
	after := newConditions(solver, crd, false)
	out = append(out, c.ruleFindings(writers, after)...)
	readers := newWalk(after, newConditions(solver, old, true), true, c.hiddenByStorage)
	return append(out, c.role(readers, after.object())...)
}

// role decides the goals of a walk. object is a condition that objects of the first side satisfy.
func (c *comparison) role(w *walk, object *search.Cond) []Finding {
	if w.readers {
		w.pair(c.after.node, c.before.node, nil, "")
		for i := range c.readerGoals {
			w.add(c.readerGoals[i].node, c.readerGoals[i].goal)
		}
	} else {
		w.pair(c.before.node, c.after.node, nil, "")
		c.storageGoals(w)
		if w.from.scaleCond.Key() != w.to.scaleCond.Key() {
			w.add(c.before.node, goal{code: CodeScale, target: search.Not(w.to.scaleCond), text: "the scale subresource is new or has other paths"})
		}
	}
	var out []Finding
	for i := range w.goals {
		found, err := c.pursue(w, object, &w.goals[i])
		if err != nil {
			found = append(found, c.undecided(&w.goals[i], err.Error()))
		}
		out = append(out, found...)
	}
	if w.stopReason != "" {
		out = append(out, c.undecided(&goal{role: w.role()}, w.stopReason))
	}
	return append(out, c.provedRoles(w, out)...)
}

// provedRoles returns a finding for each role without one in found: one of c.sideFindings, or one
// with CodeProved.
func (c *comparison) provedRoles(w *walk, found []Finding) []Finding {
	roles := []Role{RoleWriters, RoleStored}
	if w.readers {
		roles = []Role{RoleReaders}
	}
	concerned := map[Role]bool{RoleStored: c.lost}
	// If the versions have different names, no request can show a goal of writers.
	concerned[RoleWriters] = len(w.goals) > 0 && !c.sameName()
	for i := range found {
		if found[i].Verdict != VerdictCompatible {
			concerned[found[i].Role] = true
		}
		if found[i].Verdict == VerdictUnknown && !w.readers {
			concerned[RoleStored] = true
		}
	}
	var out []Finding
	for _, role := range roles {
		indexOf := func(verdict Verdict) int {
			return slices.IndexFunc(c.sideFindings, func(f Finding) bool { return f.Role == role && f.Verdict == verdict })
		}
		refuted := slices.ContainsFunc(found, func(f Finding) bool { return f.Role == role && f.Verdict == VerdictIncompatible })
		if i := indexOf(VerdictIncompatible); i >= 0 && !refuted {
			out = append(out, c.sideFindings[i])
			continue
		}
		if concerned[role] {
			continue
		}
		if i := indexOf(VerdictUnknown); i >= 0 {
			out = append(out, c.sideFindings[i])
		} else {
			f := c.finding(CodeProved, VerdictCompatible, SeverityNote, role)
			f.Text = provedTexts[role]
			if role == RoleStored && slices.ContainsFunc(found, aboutTransition) {
				f.Text = "every stored object is served as it was apart from new fields; a transition rule judges updates"
			}
			out = append(out, f)
		}
	}
	return out
}

var provedTexts = map[Role]string{
	RoleWriters: "every object that the old definition admits is admitted, and kept as it is apart from new fields",
	RoleStored:  "every stored object is served as it was apart from new fields, and an update that does not change it is admitted",
	RoleReaders: "every object that the new definition admits has the types, fields and values of the old schema",
}

func (c *comparison) pursue(w *walk, object *search.Cond, g *goal) ([]Finding, error) {
	if g.code == CodeTransition {
		return c.pursueUpdate(w, object, g)
	}
	r := w.solve(object, within(g.steps, g.target))
	if r.Status == search.None {
		return nil, nil
	}
	reason := r.Reason
	var found []Finding
	obj, ok := r.Value.(map[string]any)
	if ok {
		reason = "the object that should show it does not"
		candidates := w.candidates(obj, g)
		for i := 0; i < len(candidates); i++ {
			more, err := c.show(w, g, candidates[i])
			if err != nil {
				return nil, err
			}
			if isAbout(more, g.role) {
				return more, nil
			}
			if len(found) == 0 {
				found = more
			}
			if i == 1 {
				candidates = append(candidates, w.candidates(w.alone(object, g), g)...)
			}
		}
	}
	if len(found) == 0 && (ok || !slices.Contains(contentCodes, g.code)) {
		more, err := c.seek(w, g, search.Case{Object: obj})
		if err != nil || len(more) > 0 {
			return more, err
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return []Finding{c.undecided(g, reason)}, nil
}

func isAbout(found []Finding, role Role) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Role == role })
}

// show confirms a goal with a new object. For a goal about the status it may use an update instead:
// the new definition may refuse every new object for another reason.
func (c *comparison) show(w *walk, g *goal, obj map[string]any) ([]Finding, error) {
	found, err := c.confirm(w, g, obj, nil)
	path := g.path()
	if err != nil || w.readers || isAbout(found, RoleWriters) || len(path) == 0 || path[0].name != "status" ||
		!c.before.version.HasStatus() || !c.after.version.HasStatus() {
		return found, err
	}
	old := maps.Clone(obj)
	delete(old, "status")
	more, err := c.confirm(w, g, obj, old)
	return append(found, more...), err
}

// confirm gives obj to both definitions, as an update if old is not nil. It returns a finding for
// each role in which a difference shows the goal. It adds other differences to c.sideFindings for
// [comparison.provedRoles].
func (c *comparison) confirm(w *walk, g *goal, obj, old map[string]any) ([]Finding, error) {
	_, found, err := c.differences(w.readers, obj, old)
	if err != nil {
		return nil, err
	}
	// Differences at the path of the goal come first.
	order := func(d difference) int {
		if isAt(d.path, g.path()) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b difference) int { return order(a) - order(b) })
	var shown []Finding
	seen := map[Role]bool{}
	for i := range found {
		switch d := &found[i]; {
		case w.shows(g, d) && !seen[d.role]:
			seen[d.role] = true
			shown = append(shown, c.findingOf(g, d))
		case d.code == CodeRefused && old == nil:
			c.sideFindings = append(c.sideFindings, c.findingOf(&goal{code: CodeRefused, text: "an object is refused for another reason"}, d))
		}
	}
	if len(shown) > 0 && old == nil && (!seen[g.role] || g.role == RoleWriters && !g.stored && !seen[RoleStored] && c.storesAnotherVersion()) {
		open := *g
		if seen[RoleWriters] {
			open.role = RoleStored
		}
		c.sideFindings = append(c.sideFindings, c.undecided(&open, "an object shows it for another role only"))
	}
	return shown, nil
}

// readerDifferences returns what changes for a client of the old definition that reads obj. The new
// definition has admitted obj.
func (c *comparison) readerDifferences(obj map[string]any, after *outcome) ([]difference, error) {
	before, err := c.write(c.ctx, c.before.version, after.object, nil)
	if err != nil {
		return nil, err
	}
	d := difference{role: RoleReaders, code: CodeRefused, witness: Witness{Object: obj}, old: before.answer(), new: "admitted", errors: before.result.Errors}
	if before.object == nil {
		own, err := c.ownErrors(obj)
		if err != nil {
			return nil, err
		}
		if d.errors = otherErrors(d.errors, own); len(d.errors) == 0 && len(own) > 0 {
			return nil, nil
		}
		return []difference{d}, nil
	}
	for _, diff := range jsondiff.Of(after.object, before.object) {
		dropped := func(ch crdkit.Change) bool {
			return ch.Op == crdkit.NullDropped && ch.Path.Pointer() == diff.Path.Pointer()
		}
		if c.storesAnotherVersion() && !slices.ContainsFunc(before.result.Changes, dropped) {
			continue // the storage version drops the null, not this version
		}
		if diff.Kind != jsondiff.Added && diff.Before == nil {
			d.code, d.path, d.old, d.new = CodeChanged, diff.Path, "absent", "null"
			return []difference{d}, nil
		}
	}
	return nil, nil
}

// ownErrors returns errors that the old definition itself causes: its storage version may drop
// fields, so that its clients read an invalid object. Errors of obj itself are left out.
func (c *comparison) ownErrors(obj map[string]any) (validation.ErrorList, error) {
	if !c.storesAnotherVersion() {
		return nil, nil
	}
	direct, err := c.write(c.ctx, c.before.version, obj, nil)
	if err != nil {
		return nil, err
	}
	sent := unstructuredCopy(obj)
	sent.SetAPIVersion(c.before.version.GroupVersionKind().GroupVersion().String())
	stored, err := c.before.version.Store(c.ctx, sent)
	if err != nil {
		return nil, c.ctx.Err()
	}
	read, _, err := c.before.version.Read(c.ctx, stored)
	if err != nil {
		return nil, c.ctx.Err() // clients of the old definition cannot read obj
	}
	again, err := c.write(c.ctx, c.before.version, read.Object, nil)
	if err != nil {
		return nil, err
	}
	return otherErrors(again.result.Errors, direct.result.Errors), nil
}

func otherErrors(errs, known validation.ErrorList) validation.ErrorList {
	return slices.DeleteFunc(slices.Clone(errs), func(e *validation.Error) bool {
		return slices.ContainsFunc(known, func(k *validation.Error) bool {
			return k.Type == e.Type && k.Pointer == e.Pointer && k.SchemaPointer == e.SchemaPointer && k.Rule == e.Rule
		})
	})
}

func (c *comparison) findingOf(g *goal, d *difference) Finding {
	f := c.finding(g.code, VerdictIncompatible, SeverityError, d.role)
	f.Pointer += g.pointer
	f.Field = g.field()
	f.Witness = &d.witness
	f.Old, f.New, f.Ratcheted = d.old, d.new, d.ratcheted
	switch {
	case d.ratcheted || d.code == CodeDefaulted || d.role == RoleReaders && g.code != CodeType:
		f.Severity = SeverityWarning
	}
	f.Text, f.Effect = g.text, consequence(d)
	return f
}

func (g *goal) path() []step {
	if g.part == "" {
		return g.steps
	}
	return extend(g.steps, step{name: g.part})
}

func (g *goal) field() string { return fieldOf(g.path()) }

func consequence(d *difference) string {
	switch {
	case d.ratcheted:
		return "a stored object is admitted only as long as the value does not change"
	case d.role == RoleReaders:
		return "the new definition admits an object that the old schema does not describe"
	case d.code != CodeRefused:
		return fmt.Sprintf("%s was %s and is %s", d.path, d.was, d.is)
	case d.role == RoleStored:
		return "a stored object cannot be read, or cannot be updated without a change"
	}
	return "the new definition refuses an object that the old one admits"
}

func (c *comparison) undecided(g *goal, reason string) Finding {
	f := c.finding(CodeUndecided, VerdictUnknown, SeverityWarning, g.role)
	f.Pointer += g.pointer
	f.Field = g.field()
	f.Text = "not decided: " + reason
	if g.text != "" {
		f.Text = fmt.Sprintf("%s: not decided: %s", g.text, reason)
	}
	return f
}
