package oracle

import (
	"context"
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
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
)

// internalOf returns a definition in the form that the registry works on.
func internalOf(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	out := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd.DeepCopy(), out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// upstreamStored returns the record of stored versions that the registry
// keeps.
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

// upstreamErrors returns the errors of an update that are about what
// PlanMigration judges: the record of stored versions, and identity.
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

// TestStoredVersions compares the record of stored versions, and the errors of
// plans, with what the registry makes of made-up definitions.
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
		if diff := cmp.Diff(upstreamStored(t, next, nil), crdkit.StoredVersions(next, nil)); diff != "" {
			t.Fatalf("%s, created (-upstream +ours):\n%s", name, diff)
		}
		if diff := cmp.Diff(upstreamStored(t, next, old), crdkit.StoredVersions(next, old)); diff != "" {
			t.Fatalf("%s, updated (-upstream +ours):\n%s", name, diff)
		}
		plan := crdkit.PlanMigration(old, next)
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

// dropEach takes each version away from a definition, and checks that upstream
// refuses exactly what the plan says it refuses.
func dropEach(t *testing.T, name string, plan *crdkit.MigrationPlan, crd *apiextensionsv1.CustomResourceDefinition) {
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
		if refused != slices.Contains(v.Obstacles, crdkit.MayBeStored) {
			t.Fatalf("%s: dropping %s: upstream refuses it: %t, obstacles %q", name, v.Name, refused, v.Obstacles)
		}
	}
}
