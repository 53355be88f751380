package compat_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
)

// A documentedCheck is a row of testdata/checks.yaml.
type documentedCheck struct {
	Tool           string         `json:"tool"`
	Check          string         `json:"check"`
	Change         string         `json:"change"`
	Whole          bool           `json:"whole"`
	Conventions    bool           `json:"conventions"`
	StoredVersions []string       `json:"storedVersions"`
	Old            map[string]any `json:"old"`
	New            map[string]any `json:"new"`
	Want           []string       `json:"want"`
}

// definition returns the definition with one side of a row.
func (c *documentedCheck) definition(t *testing.T, side map[string]any) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	spec := map[string]any{
		"group": "example.com", "scope": "Namespaced",
		"names": map[string]any{"plural": "widgets", "kind": "Widget"},
	}
	if c.Whole {
		maps.Copy(spec, side)
	}
	if spec["versions"] == nil {
		f := side
		if c.Whole {
			f = map[string]any{"type": "string"}
		}
		spec["versions"] = []any{map[string]any{"name": "v1", "served": true, "storage": true, "schema": map[string]any{
			"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
				"spec": map[string]any{"type": "object", "properties": map[string]any{"f": f}},
			}},
		}}}
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.example.com"}, "spec": spec,
	})
	if err != nil {
		t.Fatal(err)
	}
	crd, err := definition.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// documentedChecks returns the rows of testdata/checks.yaml.
func documentedChecks(t *testing.T) []documentedCheck {
	t.Helper()
	text, err := os.ReadFile("testdata/checks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []documentedCheck
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestDocumentedChecks compares one pair of definitions for each change that crdify and
// crd-schema-checker find.
func TestDocumentedChecks(t *testing.T) {
	rows := documentedChecks(t)
	for i := range rows {
		c := &rows[i]
		t.Run(fmt.Sprintf("%s/%s/%s", c.Tool, c.Check, c.Change), func(t *testing.T) {
			old, crd := c.definition(t, c.Old), c.definition(t, c.New)
			old.Status.StoredVersions = c.StoredVersions
			var opts []compat.Option
			if c.Conventions {
				opts = append(opts, compat.Conventions())
			}
			report, err := compat.Compare(context.Background(), old, crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range compat.Split(report.Findings) {
				line := fmt.Sprintf("%s %s %s", f.Code, f.Role, f.Severity)
				if f.Witness != nil {
					line += " +"
				}
				got = append(got, line)
			}
			if len(c.Want) == 0 {
				t.Error("the row wants nothing")
			}
			for _, want := range c.Want {
				if !slices.Contains(got, want) {
					t.Errorf("%q is not among the findings %q", want, got)
				}
			}
		})
	}
}
