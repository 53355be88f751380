package cel_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation/cel"
)

// TestPaths compares the implementations on the rules of the corpus, with
// changed samples as new objects, as old objects and as updates. TestSamples
// compares them on the samples.
func TestPaths(t *testing.T) {
	if testing.Short() {
		t.Skip("short: compiles all rules of the corpus twice")
	}
	rng := rand.New(rand.NewPCG(3, 7))
	objects := 0
	for _, d := range testkit.FindCorpus(t).Definitions {
		for _, v := range d.CRD.Spec.Versions {
			samples := samplesOf(d, v.Name)
			if v.Schema == nil || len(samples) == 0 {
				continue
			}
			n, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
			if len(errs) > 0 || !n.Facts().Has(schema.HasRules) {
				continue
			}
			fast, _ := cel.Compile(n)
			reference, _ := cel.Compile(n, testopt.Reference{})
			for _, o := range samples {
				objects++
				changed := testkit.Mutate(rng, o)
				samePaths(t, d.Path, fast, reference, changed, nil)
				samePaths(t, d.Path, fast, reference, changed, o)
				samePaths(t, d.Path, fast, reference, o, changed)
			}
		}
	}
	t.Logf("%d samples", objects)
}

func samplesOf(d *testkit.Definition, version string) []map[string]any {
	var list []map[string]any
	for _, s := range d.Samples {
		if s.Version() == version {
			list = append(list, s.Object)
		}
	}
	return list
}

// samePaths compares the two implementations. It repeats the reference, because
// a rule that iterates over a map may stop at any entry.
func samePaths(t *testing.T, name string, fast, reference *cel.Program, obj, old map[string]any) {
	t.Helper()
	run := func(p *cel.Program) string { return resultText(p.Eval(context.Background(), obj, cel.Old(old))) }
	got := run(fast)
	for range 200 {
		if got == run(reference) {
			return
		}
	}
	t.Errorf("%s: reference (-) and fast (+):\n%s", name, cmp.Diff(run(reference), got))
}

// TestConcurrentProgram evaluates one new Program in 8 goroutines on several
// objects. It compares the results with those of a Program that only one
// goroutine uses.
func TestConcurrentProgram(t *testing.T) {
	for path, opts := range paths {
		for _, g := range expressionGroups(t) {
			n := allRules(t, g)
			shared, _ := cel.Compile(n, append(opts, celcost.Given{Stored: true})...)
			quiet, _ := cel.Compile(n, append(opts, celcost.Given{Stored: true})...)
			inputs := []concurrentInput{{obj: decode(t, string(g.Object))}, {obj: map[string]any{}}}
			rng := rand.New(rand.NewPCG(8, 8))
			for range 4 {
				inputs = append(inputs, concurrentInput{obj: testkit.Mutate(rng, inputs[0].obj), old: inputs[0].obj})
			}
			for i := range inputs {
				inputs[i].want = inputs[i].run(quiet)
			}
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					for _, in := range inputs {
						if got := in.run(shared); got != in.want {
							t.Errorf("%s, %s: alone (-) and by several goroutines (+):\n%s", g.Name, path, cmp.Diff(in.want, got))
						}
					}
				})
			}
			group.Wait()
		}
	}
}

type concurrentInput struct {
	obj, old map[string]any
	want     string
}

func (in *concurrentInput) run(p *cel.Program) string {
	return resultText(p.Eval(context.Background(), in.obj, cel.Old(in.old)))
}

// allRules returns the schema of a group with all rules whose results do not
// depend on the order of maps.
func allRules(t *testing.T, g expressionGroup) *schema.Node {
	t.Helper()
	var props apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(g.Schema, &props); err != nil {
		t.Fatal(err)
	}
	props.Type = "object"
	for _, r := range g.Rules {
		if !strings.Contains(r.Rule, "self.m") {
			props.XValidations = append(props.XValidations, apiextensionsv1.ValidationRule{Rule: r.Rule, MessageExpression: "'is ' + string(size('" + strings.Repeat("x", len(r.Rule)%7) + "'))"})
		}
	}
	n, errs := schema.Compile(&props)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return n
}
