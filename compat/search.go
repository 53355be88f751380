package compat

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A side describes the objects of one version of a definition.
type side struct {
	crd     *apiextensionsv1.CustomResourceDefinition
	index   int // in spec.versions
	version *crdkit.Version
	node    *schema.Node
}

// Bounds of a search for objects that a definition admits.
const (
	sampleObjects = 16
	sampleWork    = 5_000
)

// find returns a small object for which holds is true, or nil. It tries the smallest object that
// satisfies c, then generated objects.
func (s *side) find(ctx context.Context, c *search.Cond, holds func(obj map[string]any) bool) map[string]any {
	for obj := range s.samples(ctx, sampleWork, c) {
		if holds(obj) {
			return search.Minimize(ctx, obj, func(obj map[string]any) map[string]any { return obj },
				func(candidate map[string]any) (map[string]any, bool) { return candidate, holds(candidate) })
		}
	}
	return nil
}

// samples yields the smallest object that satisfies c, if the solver finds it in at most work
// steps. Then it yields generated objects, which need not satisfy c.
func (s *side) samples(ctx context.Context, work int, c *search.Cond) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		solver := search.NewSolver(ctx, work)
		if obj, ok := solver.Solve(search.And(newConditions(solver, s, false).object(), c)).Value.(map[string]any); ok && !yield(obj) {
			return
		}
		space, rng := s.space(nil), rand.New(rand.NewPCG(1, 2))
		for i := range sampleObjects {
			if ctx.Err() != nil || !yield(jsonval.Wire(space.Object(rng, i%2 == 1)).(map[string]any)) {
				return
			}
		}
	}
}

// space returns the search space of a side. Without a judge the space can only generate objects.
func (s *side) space(judge search.Judge) *search.Space {
	gvk := s.version.GroupVersionKind()
	head := search.Head{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespaced: s.version.Definition().Namespaced()}
	return search.New(s.node, head, judge)
}

// candidates returns objects that may show a goal: obj without the member g.absent, and a copy that
// also lacks other members with a default. If obj is nil, it returns none.
func (w *walk) candidates(obj map[string]any, g *goal) []map[string]any {
	if obj == nil {
		return nil
	}
	if g.absent != "" {
		for _, part := range partsAt(obj, g.steps) {
			delete(part.(map[string]any), g.absent)
		}
	}
	minimal := jsonval.Clone(obj).(map[string]any)
	for _, path := range slices.Backward(search.Parts(minimal)) {
		if _, ok := nodeAt(w.from.root, path).Default(); ok && !onWay(path.Pointer(), g.path()) {
			search.Remove(minimal, path)
		}
	}
	return []map[string]any{obj, minimal}
}

func nodeAt(n *schema.Node, path schema.Path) *schema.Node {
	for _, step := range path {
		if name, ok := step.Name(); ok {
			n = memberSchema(n, name)
		} else {
			n = n.Items()
		}
	}
	return n
}

// seekWork limits the steps of method seek for one version. One call takes at most a quarter of the
// steps that are left.
const seekWork = 200_000

// seek searches for a case that shows a goal if the solver found none. It begins with start, which
// does not show the goal. If start has no object, seek only accepts an error about the keyword of
// the goal.
func (c *comparison) seek(w *walk, g *goal, start search.Case) ([]Finding, error) {
	quest := search.Quest{Start: start, Limit: c.seekLeft / 4}
	for _, s := range g.steps {
		switch {
		case s.item:
			quest.Pointer += "/items"
		case s.others != nil:
			quest.Pointer += "/additionalProperties"
		default:
			quest.Pointer = propertyPointer(quest.Pointer, s.name)
		}
	}
	if g.rule != nil {
		quest.Rule = g.rule.Rule
	}
	space := c.side(w.readers).space(func(_ context.Context, k search.Case) (validation.ErrorList, bool, error) {
		if err := c.ctx.Err(); err != nil {
			return nil, false, err
		}
		first, found, err := c.differences(w.readers, jsonval.Wire(k.Object).(map[string]any), k.Old)
		switch {
		case err != nil && c.ctx.Err() != nil:
			return nil, false, err
		case err != nil || first == nil:
			return nil, true, nil
		case first.object == nil:
			return first.result.Errors, first.result.Refusal != nil, nil
		}
		var others validation.ErrorList
		for i := range found {
			d := &found[i]
			if (start.Object != nil && w.shows(g, d) || g.causes(d.errors)) && (d.role == g.role || !c.sameName()) {
				return validation.ErrorList{search.Sought}, false, nil
			}
			if d.role == g.role {
				others = d.errors
			}
		}
		return others, drops(first.result), nil
	})
	k, err := space.Seek(c.ctx, rand.New(rand.NewPCG(1, 2)), quest)
	if _, ok := errors.AsType[*search.Unreachable](err); ok {
		c.seekLeft -= quest.Limit
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return c.confirm(w, g, k.Object, k.Old)
}
