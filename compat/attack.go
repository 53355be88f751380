package compat

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// Bounds of the search for a witness that the solver did not find.
const (
	maxAttempts     = 600 // objects that are given to both definitions for a goal
	maxBases        = 24  // objects that are varied
	generatedBases  = 48
	maxVaried       = 12 // scalars of an object that are varied
	maxReplacements = 24 // for one scalar
)

// attack searches an object that shows the goal among variations of objects that
// the old definition admits. It is for rules outside of the fragment that is
// decided, and for conditions that depend on each other.
func (c *comparison) attack(w *walk, object *search.Cond, g *goal, start map[string]any) ([]Finding, error) {
	a := &attacker{comparison: c, walk: w, goal: g, left: maxAttempts, pool: replacements(g)}
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
func (c *comparison) bases(w *walk, object *search.Cond, g *goal) []map[string]any {
	var all []*search.Cond
	targets := []*search.Cond{search.True}
	for name := range g.schema.Properties() {
		if len(targets) < maxBases-4 {
			all = append(all, search.At(name, search.True))
			targets = append(targets, search.At(name, search.True))
		}
	}
	var members []*search.Cond
	for name := range g.schema.Items().Properties() {
		if len(members) < maxBases/2 {
			members = append(members, search.At(name, search.True))
			targets = append(targets, search.SomeItem(search.At(name, search.True)))
		}
	}
	if len(members) > 0 {
		targets = append(targets, search.SomeItem(search.And(members...)))
	}
	targets = append(targets, search.And(all...), search.MinItems(1), search.MinItems(2), search.MinProps(1))
	var out []map[string]any
	for _, target := range targets {
		if r := w.solve(object, within(g.steps, target)); r.Status == search.Found {
			out = append(out, c.admitted(w, w.leaner(r.Value.(map[string]any), g)))
		}
	}
	return out
}

// admitted returns the first object of a list that the first side of a walk admits, or the
// first object if it admits none.
func (c *comparison) admitted(w *walk, list []map[string]any) map[string]any {
	v := c.oldVersion
	if w.readers {
		v = c.newVersion
	}
	for _, obj := range list {
		if o, err := c.write(c.ctx, v, obj, nil); err == nil && o.object != nil {
			return obj
		}
	}
	return list[0]
}

// An attacker gives objects to both definitions until one shows a goal.
type attacker struct {
	*comparison
	walk *walk
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
	return a.smallest(obj)
}

// smallest returns the findings for the smallest object that is like obj, which shows
// the goal.
func (a *attacker) smallest(obj map[string]any) ([]Finding, error) {
	return a.confirm(a.walk, a.goal, smallest(a.ctx, obj, a.shows))
}

// shows reports whether the old definition admits obj and the new one refuses it
// because of the goal.
func (a *attacker) shows(obj map[string]any) bool {
	return a.goal.causes(a.refusal(a.goal.role == Readers, obj))
}

// refusal returns the errors with which the new definition refuses obj, nil unless the
// old one admits it and keeps all of it. For readers, the definitions change places.
func (c *comparison) refusal(readers bool, obj map[string]any) validation.ErrorList {
	from, to := c.oldVersion, c.newVersion
	if readers {
		from, to = to, from
	}
	before, err := c.write(c.ctx, from, obj, nil)
	if err != nil || before.object == nil || drops(before.result) {
		return nil
	}
	copied := unstructuredCopy(obj)
	copied.SetAPIVersion(to.GroupVersionKind().GroupVersion().String())
	after, err := c.write(c.ctx, to, copied.Object, nil)
	if err != nil || after.object != nil {
		return nil
	}
	return after.result.Errors
}

// vary tries an object, and copies of it in which one scalar is replaced, and then
// two of them.
func (a *attacker) vary(base map[string]any) ([]Finding, error) {
	if found, err := a.tryDoubled(base); err != nil || len(found) > 0 {
		return found, err
	}
	scalars := a.scalars(base)
	scalars = scalars[:min(len(scalars), maxVaried)]
	var mentioned []map[string]any // with a constant of the rule
	for i := range scalars {
		for n, v := range a.values(scalars[i].get()) {
			copied := a.replaced(base, i, v)
			if found, err := a.tryDoubled(copied); err != nil || len(found) > 0 || a.left < 0 {
				return found, err
			}
			if n < len(a.pool) && len(mentioned) < maxMentioned {
				mentioned = append(mentioned, copied)
			}
		}
	}
	for _, other := range mentioned {
		for i := range scalars {
			for _, v := range a.values(scalars[i].get()) {
				if found, err := a.try(a.replaced(other, i, v)); err != nil || len(found) > 0 || a.left < 0 {
					return found, err
				}
			}
		}
	}
	return nil, nil
}

// maxMentioned bounds the objects in which a second scalar is replaced.
const maxMentioned = 6

// replaced returns a copy of an object with another value of one scalar.
func (a *attacker) replaced(obj map[string]any, scalar int, v any) map[string]any {
	copied := jsonval.Clone(obj).(map[string]any)
	refs := a.scalars(copied)
	refs[scalar].set(v)
	return copied
}

// tryDoubled tries an object, and a copy of it in which the first element of a list
// at the goal is repeated, because rules often ask elements to differ. In a copy of
// a map, an entry has another key.
func (a *attacker) tryDoubled(obj map[string]any) ([]Finding, error) {
	if found, err := a.try(obj); err != nil || len(found) > 0 || a.goal.rule == nil || len(a.goal.steps) == 0 {
		return found, err
	}
	steps := a.goal.steps
	last := steps[len(steps)-1]
	for _, around := range partsAt(obj, steps[:len(steps)-1]) {
		parent, ok := around.(map[string]any)
		if !ok || last.item || last.others != nil {
			continue
		}
		for _, v := range doubled(parent[last.name]) {
			copied := jsonval.Clone(obj).(map[string]any)
			for _, part := range partsAt(copied, steps[:len(steps)-1]) {
				if parent, ok := part.(map[string]any); ok {
					parent[last.name] = jsonval.Clone(v)
				}
			}
			if found, err := a.try(copied); err != nil || len(found) > 0 {
				return found, err
			}
		}
	}
	return nil, nil
}

// doubled returns variations of a list or map.
func doubled(v any) []any {
	switch v := v.(type) {
	case []any:
		if len(v) > 0 {
			out := []any{append(slices.Clone(v), v[0])}
			for _, other := range shortened(v[0]) {
				out = append(out, append(slices.Clone(v), other))
			}
			return out
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			return []any{
				map[string]any{strings.Repeat("a", 254): v[name]},
				map[string]any{"/": v[name]}, map[string]any{"": v[name]},
			}
		}
	}
	return nil
}

// maxShortened bounds the copies of an element that lack one member.
const maxShortened = 8

// shortened returns copies of an object, each of which lacks one member.
func shortened(v any) []any {
	obj, _ := v.(map[string]any)
	var out []any
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if len(out) < maxShortened {
			shorter := maps.Clone(obj)
			delete(shorter, name)
			out = append(out, shorter)
		}
	}
	return out
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
		same := search.TypeOf(x) == search.TypeOf(v) || search.TypeOf(x)&search.TypeOf(v)&search.Number != 0
		if same && !search.Equal(x, v) && len(out) < maxReplacements {
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
	if err := a.generate(w); err != nil {
		return nil, err
	}
	for _, r := range w.refused {
		if !a.goal.causes(r.errors) {
			continue
		}
		if found, err := a.smallest(r.object); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// A refusedObject is an object that the first side of a walk admits and the other one
// refuses.
type refusedObject struct {
	object map[string]any
	errors validation.ErrorList
}

// generate gives generated objects to both definitions, once for all goals of a walk.
func (c *comparison) generate(w *walk) error {
	if w.generated {
		return nil
	}
	for obj := range c.side(c.versionPair, w.readers).generated(c.ctx, generatedBases) {
		if c.watch.Poll() {
			return c.watch.Err()
		}
		if errs := c.refusal(w.readers, obj); len(errs) > 0 {
			w.refused = append(w.refused, refusedObject{obj, errs})
		}
	}
	w.generated = true
	return nil
}
