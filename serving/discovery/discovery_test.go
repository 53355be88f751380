package discovery_test

import (
	"encoding/json"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/serving/discovery"
)

// TestDiscovery compares the documents of the definitions in a file with those
// in the file.
func TestDiscovery(t *testing.T) {
	testkit.RunTxtar(t, "testdata/*.txtar", []string{"crds", "ask", "want"}, func(t *testing.T, c *testkit.Case) {
		crds := definitions(t, c.Section("crds"))
		var got strings.Builder
		for _, name := range strings.Fields(c.Section("ask")) {
			got.WriteString("GET /apis/" + name + "\n" + document(t, name, crds) + "\n")
		}
		c.Want(t, "want", got.String())
	})
}

func definitions(t *testing.T, text string) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var crds []*apiextensionsv1.CustomResourceDefinition
	for doc := range strings.SplitSeq(text, "\n---\n") {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict([]byte(doc), crd); err != nil {
			t.Fatal(err)
		}
		crds = append(crds, crd)
	}
	return crds
}

// document returns the document of a group or of a group and version.
func document(t *testing.T, name string, crds []*apiextensionsv1.CustomResourceDefinition) string {
	t.Helper()
	var doc any
	group, version, ok := strings.Cut(name, "/")
	if ok {
		if list, ok := discovery.Resources(group, version, crds...); ok {
			doc = list
		}
	} else if g, ok := discovery.Group(group, crds...); ok {
		doc = g
	}
	if doc == nil {
		return "404"
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A change to a result must not change the definition.
func TestResultsShareNoMemory(t *testing.T) {
	crd := cronTab()
	list, _ := discovery.Resources("example.com", "v1", crd)
	list.APIResources[0].ShortNames[0], list.APIResources[0].Categories[0] = "changed", "changed"
	if names := crd.Spec.Names; names.ShortNames[0] != "ct" || names.Categories[0] != "all" {
		t.Errorf("the definition changed with a result: %v", names)
	}
}

func TestNoDefinitions(t *testing.T) {
	if got := discovery.Groups(); got != nil {
		t.Errorf("Groups() = %v, want nil", got)
	}
	if got := discovery.Groups(nil, cronTab(), nil); len(got) != 1 {
		t.Errorf("Groups with nil = %v, want one group", got)
	}
	if got, ok := discovery.Resources("example.com", "v1", nil); ok {
		t.Errorf("Resources of nil = %v, want none", got)
	}
	if got, ok := discovery.Group("example.com", nil); ok {
		t.Errorf("Group of nil = %v, want none", got)
	}
}
