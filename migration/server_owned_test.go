package migration

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/schema"
)

// TestServerOwned: differences in what the server maintains do not count, and
// those beside it do.
func TestServerOwned(t *testing.T) {
	for path, want := range map[string]bool{
		"metadata.generation": true, "metadata.resourceVersion": true, "metadata.managedFields": true, "metadata.managedFields.time": true,
		"metadata": false, "metadata.name": false, "metadata.labels": false, "metadata.labels.generation": false,
		"generation": false, "spec.generation": false, "spec.metadata.generation": false, "status.resourceVersion": false,
	} {
		var steps schema.Path
		for name := range strings.SplitSeq(path, ".") {
			steps = append(steps, schema.Field(name))
		}
		if got := isServerOwned(steps); got != want {
			t.Errorf("isServerOwned(%s) = %v, want %v", path, got, want)
		}
	}
	if isServerOwned(nil) {
		t.Error("the whole object is owned by the server")
	}
}

// TestDryRunWithoutDefinition: a dry run without a definition yields one error.
func TestDryRunWithoutDefinition(t *testing.T) {
	objects := func(yield func(*unstructured.Unstructured, error) bool) {
		yield(&unstructured.Unstructured{Object: map[string]any{}}, nil)
	}
	yielded := 0
	for r, err := range DryRun(context.Background(), nil, objects) {
		if yielded++; r != nil || err == nil || err.Error() != "crdkit: the definition is nil" {
			t.Errorf("DryRun without a definition yields %v, %v", r, err)
		}
	}
	if yielded != 1 {
		t.Errorf("DryRun without a definition yields %d results, want 1", yielded)
	}
}
