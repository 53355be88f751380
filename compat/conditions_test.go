package compat

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/schema"
)

// TestConditionsAgreeWithTheServer checks the translation of schemas and rules. An
// object that a definition admits and stores must not break the condition of its
// version, and an object that satisfies the condition must be admitted and kept as
// it is.
func TestConditionsAgreeWithTheServer(t *testing.T) {
	corpus, err := testkit.LoadTestdata("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	admitted, satisfying := 0, 0
	for _, d := range corpus.Definitions {
		a, s := agree(t, d, 60)
		admitted += a
		satisfying += s
	}
	t.Logf("%d stored objects satisfy the condition, %d objects that satisfy it are admitted", admitted, satisfying)
	if admitted < 200 || satisfying < 150 {
		t.Error("too few objects were judged")
	}
}

// agree judges generated objects of a definition, so many for each version.
func agree(t *testing.T, d *testkit.Definition, objects int) (admitted, satisfying int) {
	t.Helper()
	def, err := crdkit.Compile(d.CRD)
	if err != nil {
		return 0, 0
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range d.CRD.Spec.Versions {
		n, errs := crdversion.Compile(d.CRD, i)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		v, _ := def.Version(d.CRD.Spec.Versions[i].Name)
		solver := search.NewSolver(context.Background(), 1<<30)
		k := newConditions(solver, &side{d.CRD, i, v, n}, false)
		object := search.And(k.scaleCond, k.of(n))
		g := generate.New(generate.Target{
			Group: d.CRD.Spec.Group, Version: v.Name(), Kind: d.CRD.Spec.Names.Kind,
			Namespaced: def.Namespaced(), Schema: crdversion.Schema(&d.CRD.Spec.Versions[i]),
		})
		for j := range objects {
			obj := g.Object(rng, []generate.Class{generate.Valid, generate.Boundary, generate.Fault}[j%3])
			testkit.Integers(crdversion.Schema(&d.CRD.Spec.Versions[i]), obj)
			obj["apiVersion"], obj["kind"] = v.GroupVersionKind().GroupVersion().String(), d.CRD.Spec.Names.Kind
			obj["metadata"] = map[string]any{"name": "a", "namespace": "default"}
			if !def.Namespaced() {
				obj["metadata"] = map[string]any{"name": "a"}
			}
			out, err := (&pair{old: d.CRD, crd: d.CRD}).write(context.Background(), v, obj, nil)
			if err != nil {
				t.Fatal(err)
			}
			if out.object != nil && !hasListForText(n, out.object) {
				admitted++
				if solver.Satisfied(search.Not(object), out.object) {
					t.Errorf("%s %s: a stored object breaks %s:\n%s", d.Path, v.Name(), broken(k, n, out.object), testkit.Encode(out.object))
					return
				}
			}
			if solver.Satisfied(object, obj) && out.object == nil && out.result.Refusal == nil {
				t.Errorf("%s %s: an object satisfies the condition and is refused: %v\n%s", d.Path, v.Name(), out.result.Err(), testkit.Encode(obj))
				return
			}
			if solver.Satisfied(object, obj) && out.object != nil {
				satisfying++
			}
		}
	}
	return admitted, satisfying
}

// hasListForText reports whether a list is in the place of a string with a format.
// Conditions do not admit it; the server does. See docs/compat.md.
func hasListForText(n *schema.Node, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if child := memberSchema(n, name); child != nil && hasListForText(child, member) {
				return true
			}
		}
	case []any:
		if n.Kind() == schema.KindString {
			return true
		}
		for _, item := range v {
			if hasListForText(n.Items(), item) {
				return true
			}
		}
	}
	return false
}

// broken names the keyword of a schema that a value breaks.
func broken(k *conditions, n *schema.Node, v any) string {
	for _, w := range k.keywords(n) {
		if k.solver.Satisfied(search.Not(w.cond), v) {
			return string(w.code) + " " + w.text
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if child := memberSchema(n, name); child != nil && name != "metadata" {
				if text := broken(k, child, member); text != "" {
					return name + "." + text
				}
			}
		}
	case []any:
		for _, item := range v {
			if text := broken(k, n.Items(), item); text != "" {
				return "[]." + text
			}
		}
	}
	if k.solver.Satisfied(search.Not(search.And(k.members(n), k.items(n), k.others(n))), v) {
		return "(members)"
	}
	return ""
}
