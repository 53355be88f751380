package definition_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/definition"
)

// TestStoredVersions checks the stored versions that the server records.
func TestStoredVersions(t *testing.T) {
	crd := func(storage string, stored ...string) *apiextensionsv1.CustomResourceDefinition {
		c := &apiextensionsv1.CustomResourceDefinition{}
		for name := range strings.FieldsSeq("v1 v2 v3") {
			c.Spec.Versions = append(c.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Storage: strings.Contains(storage, name)})
		}
		c.Status.StoredVersions = stored
		return c
	}
	for _, tt := range []struct {
		name     string
		new, old *apiextensionsv1.CustomResourceDefinition
		want     []string
	}{
		{"created", crd("v1", "v2", "v3"), nil, []string{"v1"}},
		{"created without storage version", crd(""), nil, nil},
		{"the same storage version", crd("v1"), crd("v1", "v1"), []string{"v1"}},
		{"another storage version", crd("v2"), crd("v1", "v1"), []string{"v1", "v2"}},
		{"back to the first", crd("v1"), crd("v2", "v1", "v2"), []string{"v1", "v2"}},
		{"the status of the new one does not count", crd("v2", "v2"), crd("v1", "v1"), []string{"v1", "v2"}},
		{"two storage versions", crd("v2 v3"), crd("v1", "v1"), []string{"v1", "v2"}},
		{"no storage version", crd(""), crd("v1", "v1"), []string{"v1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, definition.StoredVersions(tt.new, tt.old)); diff != "" {
				t.Errorf("StoredVersions (-want +got):\n%s", diff)
			}
		})
	}
	old := crd("v1", "v1")
	old.Status.StoredVersions = append(make([]string, 0, 8), "v1")
	definition.StoredVersions(crd("v2"), old)
	if got := old.Status.StoredVersions[:2]; got[1] != "" {
		t.Errorf("StoredVersions wrote to the old definition: %q", got)
	}
}

func TestNilDefinitions(t *testing.T) {
	if got := definition.StoredVersions(nil, nil); len(got) > 0 {
		t.Errorf("StoredVersions(nil, nil) = %v", got)
	}
	if _, err := definition.StoredStatus(nil, nil); err == nil {
		t.Error("StoredStatus(nil, nil) succeeds")
	}
}
