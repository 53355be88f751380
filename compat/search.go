package compat

import (
	"context"
	"iter"
	"math/rand/v2"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A side is the objects of one version of a definition.
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

// find returns a small object of a side that satisfies a condition and has a property, nil if
// none is found.
func (s *side) find(ctx context.Context, c *search.Cond, holds func(obj map[string]any) bool) map[string]any {
	for obj := range s.samples(ctx, sampleWork, c) {
		if holds(obj) {
			return search.Minimize(ctx, obj, func(obj map[string]any) map[string]any { return obj },
				func(candidate map[string]any) (map[string]any, bool) { return candidate, holds(candidate) })
		}
	}
	return nil
}

// samples yields the smallest object that satisfies a condition, if it is found with so much
// work, and then generated objects.
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

// space returns the objects of a side. A search without a judge only generates them.
func (s *side) space(judge search.Judge) *search.Space {
	gvk := s.version.GroupVersionKind()
	head := search.Head{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind, Namespaced: s.version.Definition().Namespaced()}
	return search.New(s.node, head, judge)
}
