package crdversion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

func fieldsOf(errs field.ErrorList) (out []string) {
	for _, err := range errs {
		out = append(out, err.Field)
	}
	return out
}

// TestImmutableFields tests that an update cannot change group and plural name, and cannot change
// scope and kind if the definition is established. It can change other names.
func TestImmutableFields(t *testing.T) {
	for _, tt := range []struct {
		name              string
		change            func(*apiextensionsv1.CustomResourceDefinitionSpec)
		always, otherwise []string // fields with an error if the definition is established, and if it is not
	}{
		{"nothing", func(*apiextensionsv1.CustomResourceDefinitionSpec) {}, nil, nil},
		{"scope", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Scope = "Cluster" }, []string{"spec.scope"}, nil},
		{"kind", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Names.Kind = "B" }, []string{"spec.names.kind"}, nil},
		{"group", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Group = "b" }, []string{"spec.group"}, []string{"spec.group"}},
		{"plural", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Names.Plural = "bs" }, []string{"spec.names.plural"}, []string{"spec.names.plural"}},
		{"singular", func(s *apiextensionsv1.CustomResourceDefinitionSpec) { s.Names.Singular = "b" }, nil, nil},
	} {
		old := &apiextensionsv1.CustomResourceDefinitionSpec{Group: "a", Scope: "Namespaced"}
		old.Names.Kind, old.Names.Plural, old.Names.Singular = "A", "as", "a"
		spec := old.DeepCopy()
		tt.change(spec)
		if diff := cmp.Diff(tt.always, fieldsOf(CheckImmutable(spec, old, true))); diff != "" {
			t.Errorf("%s, established (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.otherwise, fieldsOf(CheckImmutable(spec, old, false))); diff != "" {
			t.Errorf("%s, not established (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestStoredVersions: there is a stored version, the storage version is one of them, and the
// definition has all of them. One that is listed twice has one error.
func TestStoredVersions(t *testing.T) {
	versions := []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Storage: true}, {Name: "v2"}}
	for _, tt := range []struct {
		stored, want []string
	}{
		{nil, []string{"status.storedVersions"}},
		{[]string{"v1"}, nil},
		{[]string{"v2", "v1"}, nil},
		{[]string{"v2"}, []string{"status.storedVersions"}},
		{[]string{"v1", "v0"}, []string{"status.storedVersions[1]"}},
		{[]string{"v0", "v1", "v0"}, []string{"status.storedVersions[2]"}},
		{[]string{"v0", "v3"}, []string{"status.storedVersions", "status.storedVersions[0]", "status.storedVersions[1]"}},
		{[]string{"v1", "v1"}, nil},
	} {
		if diff := cmp.Diff(tt.want, fieldsOf(CheckStored(versions, tt.stored))); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.stored, diff)
		}
	}
}

// TestPruneDefaultsKeepsTheNode: a tree without a default that pruning changes stays the
// same, also one whose root has a default that is no object.
func TestPruneDefaultsKeepsTheNode(t *testing.T) {
	for _, text := range []string{
		`{type: object}`,
		`{type: object, properties: {a: {type: string, default: x}}}`,
		`{type: object, default: 5}`,
		`{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, default: x}`,
	} {
		n, errs := schema.Compile(definition(t, text).Spec.Versions[1].Schema.OpenAPIV3Schema)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		before, had := n.Default()
		got := PruneDefaults(n)
		after, has := got.Default()
		if got == nil || had != has || !cmp.Equal(before, after) {
			t.Errorf("%s: the default %v became %v", text, before, after)
		}
	}
}
