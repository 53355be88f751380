package oracle

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/handlers"

	"github.com/crdkit/crdkit/definition"
)

// TestDefinitionOwners compares the warning about duplicate owners with the server's. The
// handler of all requests makes this warning, not the strategy of definitions.
func TestDefinitionOwners(t *testing.T) {
	crd := bases(t)[0].DeepCopy()
	before := definition.Check(crd).Warnings
	for _, uid := range []types.UID{"1", "2", "1", "2", "1"} {
		crd.OwnerReferences = append(crd.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "A", Name: "a", UID: uid})
	}
	warnings := definition.Check(crd).Warnings
	want := fmt.Sprintf(handlers.DuplicateOwnerReferencesWarningFormat, "1, 2, 1")
	if len(warnings) != len(before)+1 || warnings[0].Text != want {
		t.Errorf("warnings %v, want %q before %v", warnings, want, before)
	}
}
