package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/migration"
)

// internalOf returns a definition in the internal form of the registry.
func internalOf(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	out := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd.DeepCopy(), out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// upstreamStored returns the stored versions that the registry records.
func upstreamStored(t *testing.T, crd, old *apiextensionsv1.CustomResourceDefinition) []string {
	t.Helper()
	strategy := customresourcedefinition.NewStrategy(runtime.NewScheme())
	next := internalOf(t, crd)
	if old == nil {
		strategy.PrepareForCreate(context.Background(), next)
	} else {
		strategy.PrepareForUpdate(context.Background(), next, internalOf(t, old))
	}
	return next.Status.StoredVersions
}

// upstreamErrors returns the errors of an update that NewPlan also checks: those of the
// record of stored versions and of identity.
func upstreamErrors(t *testing.T, old, crd *apiextensionsv1.CustomResourceDefinition) sets.Set[string] {
	t.Helper()
	prepared, before := internalOf(t, crd), internalOf(t, old)
	customresourcedefinition.NewStrategy(runtime.NewScheme()).PrepareForUpdate(context.Background(), prepared, before)
	texts := sets.New[string]()
	for _, err := range validation.ValidateCustomResourceDefinitionUpdate(context.Background(), prepared, before) {
		if strings.HasPrefix(err.Field, "status.storedVersions") || strings.HasSuffix(err.Detail, "immutable") {
			texts.Insert(err.Error())
		}
	}
	return texts
}

func textsOf(errs field.ErrorList) sets.Set[string] {
	texts := sets.New[string]()
	for _, err := range errs {
		texts.Insert(err.Error())
	}
	return texts
}

// versioned returns a definition with some of five versions, of which one is
// stored, and a record of stored versions that may name any.
func versioned(rng *rand.Rand) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "tabs", Singular: "tab", Kind: "Tab", ListKind: "TabList"}
	crd.Name = "tabs.example.com"
	names := []string{"v1", "v2", "v1beta1", "v1alpha1", "foo"}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	chosen := names[:1+rng.IntN(len(names))]
	storage := rng.IntN(len(chosen))
	for i, name := range chosen {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: rng.IntN(3) > 0, Storage: i == storage,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
		})
	}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	crd.Status.StoredVersions = append(crd.Status.StoredVersions, names[:1+rng.IntN(3)]...)
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
	return crd
}

// TestStoredVersions compares the record of stored versions, and the errors of plans, with
// those of the registry, for generated definitions.
func TestStoredVersions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	refused := 0
	for i := range 2000 {
		old, next := versioned(rng), versioned(rng)
		switch rng.IntN(8) {
		case 0:
			next.Spec.Scope = apiextensionsv1.ClusterScoped
		case 1:
			next.Spec.Names.Kind = "Tap"
		case 2:
			next.Spec.Names.Plural = "taps"
		case 3:
			next.Spec.Group = "example.org"
		}
		name := fmt.Sprintf("definition %d: %v %v to %v", i, old.Spec.Versions, old.Status.StoredVersions, next.Spec.Versions)
		if diff := cmp.Diff(upstreamStored(t, next, nil), definition.StoredVersions(next, nil)); diff != "" {
			t.Fatalf("%s, created (-upstream +ours):\n%s", name, diff)
		}
		if diff := cmp.Diff(upstreamStored(t, next, old), definition.StoredVersions(next, old)); diff != "" {
			t.Fatalf("%s, updated (-upstream +ours):\n%s", name, diff)
		}
		plan := migration.NewPlan(old, next)
		if diff := cmp.Diff(upstreamErrors(t, old, next), textsOf(plan.Errors)); diff != "" {
			t.Fatalf("%s, errors (-upstream +ours):\n%s", name, diff)
		}
		if len(plan.Errors) > 0 {
			refused++
		}
		dropEach(t, name, plan, next)
	}
	t.Logf("%d of 2000 updates refused", refused)
}

// dropEach removes each version from a definition. It checks that upstream
// refuses the result if and only if the plan has blockers for the version.
func dropEach(t *testing.T, name string, plan *migration.Plan, crd *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	for _, v := range plan.Versions {
		if !v.InNew || v.Storage || len(crd.Spec.Versions) == 1 {
			continue
		}
		without := crd.DeepCopy()
		without.Spec.Versions = nil
		for _, declared := range crd.Spec.Versions {
			if declared.Name != v.Name {
				without.Spec.Versions = append(without.Spec.Versions, declared)
			}
		}
		left := internalOf(t, without).Spec.Versions
		errs := validation.ValidateCustomResourceDefinitionStoredVersions(plan.Stored, left, field.NewPath("status", "storedVersions"))
		refused := false
		for _, err := range errs {
			refused = refused || err.BadValue == v.Name
		}
		if refused != slices.Contains(v.Blockers, migration.MayBeStored) {
			t.Fatalf("%s: dropping %s: upstream refuses it: %t, blockers %q", name, v.Name, refused, v.Blockers)
		}
	}
}

// TestDryRun rewrites generated objects of all versions of the repository's definitions
// with the code of the server: it reads them at the storage version, stores them, and
// reads them at the old version.
func TestDryRun(t *testing.T) {
	corpus, err := testkit.LoadTestdata("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	outcomes := map[migration.Outcome]int{}
	for _, d := range corpus.Definitions {
		crd := d.CRD.DeepCopy()
		crd.Spec.Conversion = nil
		def, err := crdkit.Compile(crd)
		if err != nil || !def.Storage().Served() {
			continue
		}
		reference, err := upstream.Serve(crd)
		if err != nil {
			t.Fatalf("%s: %v", d.Path, err)
		}
		for _, v := range crd.Spec.Versions {
			for _, obj := range storedObjects(d, &v, rng) {
				for r, err := range migration.DryRun(context.Background(), def, migration.Objects(obj)) {
					if err != nil {
						t.Fatal(err)
					}
					outcomes[r.Outcome()]++
					compareRewrite(t, reference, def.Storage().Name(), r)
				}
			}
		}
	}
	t.Logf("outcomes: %v", outcomes)
	for _, o := range []migration.Outcome{migration.Unchanged, migration.Changed, migration.Lossy, migration.Failed} {
		if outcomes[o] == 0 {
			t.Errorf("no object is %s", o)
		}
	}
}

// storedObjects returns generated objects of a version, some of them faulty, and the
// samples of the definition for the version.
func storedObjects(d *testkit.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion, rng *rand.Rand) []*unstructured.Unstructured {
	target := generate.Target{
		Group: d.CRD.Spec.Group, Version: v.Name, Kind: d.CRD.Spec.Names.Kind,
		Namespaced: d.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped, Schema: v.Schema.OpenAPIV3Schema,
	}
	generator := generate.New(target)
	var objs []*unstructured.Unstructured
	for i := range 20 {
		objs = append(objs, &unstructured.Unstructured{Object: generator.Object(rng, generate.Class(i%3))})
	}
	for _, s := range d.Samples {
		if s.Version() == v.Name {
			objs = append(objs, &unstructured.Unstructured{Object: testkit.Clone(s.Object)})
		}
	}
	for _, obj := range objs {
		metadata, ok := obj.Object["metadata"].(map[string]any)
		if !ok {
			continue
		}
		metadata["resourceVersion"] = "1"
		if target.Namespaced {
			metadata["namespace"] = "default"
		}
	}
	return objs
}

func compareRewrite(t *testing.T, reference *upstream.Definition, storage string, r *migration.Rewrite) {
	t.Helper()
	raw := jsonOf(t, r.Object.Object)
	via := reference.Version(storage)
	read := via.Read(raw)
	refused := read.Refusal != ""
	var put upstream.Outcome
	if !refused {
		put = via.Update(upstream.Body{Data: jsonOf(t, read.Object), Fields: "Ignore"}, read.Object)
		refused = put.Refusal != "" || len(put.Errors) > 0
	}
	if refused || r.Failure != nil {
		if !refused || r.Failure == nil {
			t.Errorf("%s\nupstream: %s %s %v\nours: %v", raw, read.Refusal, put.Refusal, put.Errors, r.Failure)
		}
		return
	}
	if diff := cmp.Diff(decoded(t, put.Object), any(r.Stored.Object)); diff != "" {
		t.Errorf("%s\nis stored as (-upstream +ours):\n%s", raw, diff)
	}
	from := reference.Version(r.From)
	shown, back := from.Read(raw), from.Read(jsonOf(t, put.Object))
	if lost := loses(decoded(t, r.Object.Object), shown.Object, back.Object, true); lost != (len(r.Lost) > 0) {
		t.Errorf("%s\nlost: %v; upstream gives back\n%s", raw, r.Lost, jsonOf(t, back.Object))
	}
}

// decoded returns v encoded to JSON and decoded again.
func decoded(t *testing.T, v any) any {
	t.Helper()
	out, err := testkit.DecodeJSON(jsonOf(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// loses reports whether raw has a value that back does not have. A null counts
// if it was shown.
func loses(raw, shown, back any, root bool) bool {
	switch raw := raw.(type) {
	case nil:
		return back != nil
	case map[string]any:
		shown, _ := shown.(map[string]any)
		back, ok := back.(map[string]any)
		if !ok {
			return true
		}
		for name, value := range raw {
			before, wasShown := shown[name]
			after, isBack := back[name]
			switch {
			case value == nil && (!wasShown || before != nil):
			case root && name == "metadata":
				if loses(withoutServer(value), before, after, false) {
					return true
				}
			case !isBack || loses(value, before, after, false):
				return true
			}
		}
		return false
	case []any:
		shown, _ := shown.([]any)
		back, ok := back.([]any)
		if !ok || len(back) < len(raw) {
			return true
		}
		for i, value := range raw {
			var before any
			if i < len(shown) {
				before = shown[i]
			}
			if (value != nil || before == nil) && loses(value, before, back[i], false) {
				return true
			}
		}
		return false
	default:
		return !cmp.Equal(raw, back)
	}
}

// withoutServer returns metadata without the fields that the server sets.
func withoutServer(metadata any) any {
	m, ok := metadata.(map[string]any)
	if !ok {
		return metadata
	}
	m = testkit.Clone(m)
	for _, name := range []string{"generation", "managedFields", "resourceVersion"} {
		delete(m, name)
	}
	return m
}
