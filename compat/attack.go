package compat

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/generate"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/minimize"
	"github.com/crdkit/crdkit/internal/satisfy"
	"github.com/crdkit/crdkit/schema"
)

// Bounds of the search for a witness that the solver did not find.
const (
	maxAttempts     = 400 // objects that are given to both definitions for a goal
	maxBases        = 24  // objects that are varied
	generatedBases  = 48
	maxVaried       = 12 // scalars of an object that are varied
	maxReplacements = 24 // for one scalar
)

// attack searches an object that shows the goal among variations of objects that
// the old definition admits. It is for rules outside of the fragment that is
// decided, and for conditions that depend on each other.
func (c *comparison) attack(w *walk, object *satisfy.Cond, g *goal, start map[string]any) ([]Finding, error) {
	a := &attacker{comparison: c, goal: g, left: maxAttempts, pool: replacements(g)}
	var bases []map[string]any
	if start != nil {
		bases = append(bases, start)
	}
	for _, base := range append(bases, c.bases(w, object, g)...) {
		if found, err := a.vary(base); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return a.generated(w)
}

// bases returns objects with a value at the goal, in which each property of the
// value is present once, and all of them in one.
func (c *comparison) bases(w *walk, object *satisfy.Cond, g *goal) []map[string]any {
	var all []*satisfy.Cond
	targets := []*satisfy.Cond{satisfy.True}
	for name := range g.schema.Properties() {
		if len(targets) < maxBases-4 {
			all = append(all, satisfy.At(name, satisfy.True))
			targets = append(targets, satisfy.At(name, satisfy.True))
		}
	}
	targets = append(targets, satisfy.And(all...), satisfy.MinItems(1), satisfy.MinItems(2), satisfy.MinProps(1))
	var out []map[string]any
	for _, target := range targets {
		if r := w.from.solver.Solve(satisfy.And(object, within(g.steps, target))); r.Status == satisfy.Found {
			out = append(out, r.Value.(map[string]any))
		}
	}
	return out
}

// An attacker gives objects to both definitions until one shows a goal.
type attacker struct {
	*comparison
	goal *goal
	left int
	pool []any // values that a rule mentions, and their neighbours
}

// try returns the findings if obj shows the goal.
func (a *attacker) try(obj map[string]any) ([]Finding, error) {
	if a.left--; a.left < 0 {
		return nil, nil
	}
	if a.watch.Poll() {
		return nil, a.watch.Err()
	}
	if !a.shows(obj) {
		return nil, nil
	}
	smallest := minimize.Object(a.ctx, obj, func(o map[string]any) map[string]any { return o },
		func(candidate map[string]any) (map[string]any, bool) { return candidate, a.shows(candidate) })
	found, _, err := a.confirm(a.goal, smallest)
	return found, err
}

// shows reports whether the old definition admits obj and the new one refuses it
// because of the goal.
func (a *attacker) shows(obj map[string]any) bool {
	from, to := a.oldVersion, a.newVersion
	if a.goal.role == Readers {
		from, to = to, from
	}
	before, err := write(a.ctx, from, obj, nil)
	if err != nil || before.object == nil || drops(before.result) {
		return false
	}
	copied := unstructuredCopy(obj)
	copied.SetAPIVersion(to.GroupVersionKind().GroupVersion().String())
	after, err := write(a.ctx, to, copied.Object, nil)
	if err != nil || after.object != nil {
		return false
	}
	return a.goal.causes(after.result.Errors)
}

// vary tries an object, and copies of it in which one or two scalars are replaced.
func (a *attacker) vary(base map[string]any) ([]Finding, error) {
	if found, err := a.try(base); err != nil || len(found) > 0 {
		return found, err
	}
	scalars := a.scalars(base)
	for i := range min(len(scalars), maxVaried) {
		for _, v := range a.values(scalars[i].get()) {
			copied := jsonval.Clone(base).(map[string]any)
			a.scalars(copied)[i].set(v)
			if found, err := a.try(copied); err != nil || len(found) > 0 || a.left < 0 {
				return found, err
			}
		}
	}
	return nil, nil
}

// scalars returns the scalars that a variation replaces: those of the value of the
// goal, or of the object around it if the value is a scalar itself.
func (a *attacker) scalars(obj map[string]any) []scalarRef {
	steps := a.goal.steps
	if kind := a.goal.schema.Kind(); len(steps) > 0 && kind != schema.KindObject && kind != schema.KindArray {
		steps = steps[:len(steps)-1]
	}
	return scalarsOf(partsAt(obj, steps), len(steps) == 0)
}

// values returns replacements of a scalar: values of its type.
func (a *attacker) values(v any) []any {
	var out []any
	for _, x := range append(a.pool, general...) {
		same := satisfy.TypeOf(x) == satisfy.TypeOf(v) || satisfy.TypeOf(x)&satisfy.TypeOf(v)&satisfy.Number != 0
		if same && !satisfy.Equal(x, v) && len(out) < maxReplacements {
			out = append(out, x)
		}
	}
	return out
}

var general = []any{
	int64(0), int64(1), int64(-1), int64(2), int64(100), int64(1000), int64(1 << 31), 0.5, true, false,
	"", "a", "b", "0", "1", "A", "/", "a/b", "a.b", "-", "1s", "100m", "10.0.0.1", "https://example.com/a", "2024-01-01T00:00:00Z", strings.Repeat("a", 64),
}

var (
	quotedText   = regexp.MustCompile(`'([^'\\]*)'|"([^"\\]*)"`)
	writtenCount = regexp.MustCompile(`\b[0-9]+\b`)
)

// replacements returns the constants of a rule and their neighbours.
func replacements(g *goal) []any {
	if g.rule == nil {
		return nil
	}
	var out []any
	for _, m := range quotedText.FindAllStringSubmatch(g.rule.Rule, -1) {
		out = append(out, m[1]+m[2], m[1]+m[2]+"a")
	}
	for _, text := range writtenCount.FindAllString(quotedText.ReplaceAllString(g.rule.Rule, ""), -1) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			out = append(out, n, n+1, n-1)
		}
	}
	return out
}

// A scalarRef is a scalar in an object or list.
type scalarRef struct {
	object map[string]any
	list   []any
	name   string
	index  int
}

func (s *scalarRef) get() any {
	if s.object != nil {
		return s.object[s.name]
	}
	return s.list[s.index]
}

func (s *scalarRef) set(v any) {
	if s.object != nil {
		s.object[s.name] = v
	} else {
		s.list[s.index] = v
	}
}

// generated tries generated objects of the first side of a walk.
func (a *attacker) generated(w *walk) ([]Finding, error) {
	crd, index, def := a.old, a.oldIndex, a.oldDef
	if w.readers {
		crd, index, def = a.crd, a.newIndex, a.newDef
	}
	v := &crd.Spec.Versions[index]
	g := generate.New(generate.Target{
		Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind,
		Namespaced: def.Namespaced(), Schema: crdversion.Schema(v),
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range generatedBases {
		if found, err := a.try(g.Object(rng, generate.Class(i%2))); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}
