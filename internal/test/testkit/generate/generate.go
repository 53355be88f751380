// Package generate generates objects for schemas, in four classes. It is separate from
// testkit because tests of package schema import testkit. Only tests import it.
package generate

import (
	"math/rand/v2"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
)

// A Class is a class of objects that a [Generator] generates. It is not guaranteed: a rule
// in CEL, or a pattern that the generator cannot solve, may refuse an object that should be
// valid. The tests that use it compare with an oracle and need no guarantee.
type Class int

const (
	Valid    Class = iota // should be accepted
	Boundary              // should be accepted, with values at limits where possible
	Fault                 // has one fault
	Hostile               // has several faults, which no schema expects
)

func (c Class) String() string {
	return [...]string{"valid", "boundary", "fault", "hostile"}[c]
}

// A Target describes the objects that a [Generator] generates.
type Target struct {
	Group, Version, Kind string
	Namespaced           bool
	Schema               *apiextensionsv1.JSONSchemaProps // nil: any content
}

// A Generator generates objects for a target. It is immutable and safe for
// concurrent use; the random source belongs to the caller.
type Generator struct {
	space   *search.Space
	schema  *apiextensionsv1.JSONSchemaProps
	samples []map[string]any
}

// New returns a generator. It uses values, and sometimes whole objects, of the
// samples with the apiVersion of the target. It panics if no definition may have the schema.
func New(t Target, samples ...map[string]any) *Generator {
	g := &Generator{schema: t.Schema}
	var root *schema.Node
	if t.Schema != nil {
		node, errs := schema.Compile(t.Schema, schemaopt.Unstructured{}, schemaopt.WithoutAnnotations{})
		if len(errs) > 0 {
			panic(errs.ToAggregate())
		}
		root = node
	}
	head := search.Head{APIVersion: t.Group + "/" + t.Version, Kind: t.Kind, Namespaced: t.Namespaced}
	g.space = search.New(root, head, nil)
	g.space.Learn(samples...)
	for _, s := range samples {
		if s["apiVersion"] == head.APIVersion {
			g.samples = append(g.samples, s)
		}
	}
	return g
}

// Of returns a generator for a version of a definition. It uses the samples of the definition.
func Of(d *testkit.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion) *Generator {
	t := Target{
		Group: d.CRD.Spec.Group, Version: v.Name, Kind: d.CRD.Spec.Names.Kind,
		Namespaced: d.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped,
	}
	if v.Schema != nil {
		t.Schema = v.Schema.OpenAPIV3Schema
	}
	var samples []map[string]any
	for _, s := range d.Samples {
		samples = append(samples, s.Object)
	}
	return New(t, samples...)
}

// Object returns a new object of the class. It belongs to the caller. The same random
// source gives the same objects.
func (g *Generator) Object(rng *rand.Rand, class Class) map[string]any {
	switch class {
	case Fault:
		obj := g.base(rng)
		testkit.AddFault(rng, obj, g.schema)
		return obj
	case Hostile:
		obj := g.base(rng)
		testkit.Damage(rng, obj, g.schema)
		return obj
	}
	return g.space.Object(rng, class == Boundary)
}

// base returns an object to break: a copy of a sample or a generated one.
func (g *Generator) base(rng *rand.Rand) map[string]any {
	if len(g.samples) > 0 && rng.IntN(2) == 0 {
		return testkit.Clone(g.samples[rng.IntN(len(g.samples))])
	}
	return g.space.Object(rng, false)
}
