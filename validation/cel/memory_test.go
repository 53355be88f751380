package cel

import (
	"context"
	"math/rand/v2"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// A heaviest is the evaluation that took the most memory.
type heaviest struct {
	evaluations int
	bytes       uint64
	rule        string
}

func (h *heaviest) of(t *testing.T, p *Program, obj map[string]any) {
	t.Helper()
	p.Eval(context.Background(), obj, Old(obj), watchOption(func(e evaluation) {
		h.evaluations++
		if isOverMemory(e.err) {
			t.Errorf("%s exceeds the limit", e.of.text)
		}
		if e.memory > h.bytes {
			h.bytes, h.rule = e.memory, e.of.text
		}
	}))
}

// TestMemoryOfCorpus: no rule of the corpus comes near the limit of memory, on
// samples and on generated objects.
func TestMemoryOfCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the rules of the corpus, which is left out with -short")
	}
	var sampled, generated heaviest
	for _, d := range testkit.FindCorpus(t).Definitions {
		for i := range d.CRD.Spec.Versions {
			v := &d.CRD.Spec.Versions[i]
			if v.Schema == nil {
				continue
			}
			n, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
			if len(errs) > 0 {
				continue
			}
			memoryOfVersion(t, d, v, n, &sampled, &generated)
		}
	}
	for name, h := range map[string]heaviest{"samples": sampled, "generated objects": generated} {
		t.Logf("%s: of %d evaluations the largest took %d bytes: %s", name, h.evaluations, h.bytes, h.rule)
		if h.bytes > DefaultMemory/64 {
			t.Errorf("an evaluation takes %d bytes, want less than 1 MiB", h.bytes)
		}
	}
}

func memoryOfVersion(t *testing.T, d *testkit.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion, n *schema.Node, sampled, generated *heaviest) {
	t.Helper()
	fast, _ := Compile(n)
	reference, _ := Compile(n, testopt.Reference{})
	if fast == nil || reference == nil {
		return
	}
	values := validation.New(n)
	run := func(h *heaviest, obj map[string]any, programs ...*Program) {
		if obj != nil && !values.Validate(obj).BlocksRules() {
			for _, p := range programs {
				h.of(t, p, obj)
			}
		}
	}
	var samples []map[string]any
	for _, s := range d.Samples {
		if s.Version() == v.Name {
			samples = append(samples, s.Object)
			run(sampled, s.Object, fast, reference)
		}
	}
	generator := generate.New(generate.Target{
		Group: d.CRD.Spec.Group, Version: v.Name, Kind: d.CRD.Spec.Names.Kind, Namespaced: true, Schema: v.Schema.OpenAPIV3Schema,
	}, samples...)
	rng := rand.New(rand.NewPCG(13, 6))
	for i := range 4 {
		run(generated, generator.Object(rng, generate.Class(i%4)), fast)
	}
}
