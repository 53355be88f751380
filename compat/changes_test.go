package compat_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A change is a case of testdata/changes.yaml.
type change struct {
	Name     string
	Root     bool
	Old, New apiextensionsv1.JSONSchemaProps
}

func changes(t *testing.T, file string) []change {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []change
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// definitionOf returns a definition whose objects have the property x.
func definitionOf(props apiextensionsv1.JSONSchemaProps, root bool) *apiextensionsv1.CustomResourceDefinition {
	crd := parsed(crontab)
	if !root {
		props = apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": props}}
	}
	props.Type = "object"
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &props
	return crd
}

// TestChanges records what is found for one change of each keyword, and for rules.
func TestChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	for _, file := range []string{"changes", "rules"} {
		var b strings.Builder
		for _, c := range changes(t, "testdata/"+file+".yaml") {
			r, err := compat.Compare(context.Background(), definitionOf(c.Old, c.Root), definitionOf(c.New, c.Root))
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			fmt.Fprintln(&b, c.Name)
			for _, f := range parts(r) {
				if f.Role == compat.RoleWriters || f.Role == compat.RoleStored || f.Role == compat.RoleReaders || f.Role == compat.RoleRules {
					fmt.Fprintln(&b, "  "+line(f))
				}
			}
		}
		testkit.Recorded(t, "testdata/"+file+".txt", b.String())
	}
}

// parts returns the findings of a report before they were merged.
func parts(r *compat.Report) []compat.Finding {
	list := compat.Split(r.Findings)
	slices.SortStableFunc(list, func(a, b compat.Finding) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.OldVersion, b.OldVersion), cmp.Compare(a.Role, b.Role),
			cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
	return list
}

// sentence returns the text and the effect of a finding.
func sentence(f compat.Finding) string {
	if f.Effect == "" {
		return f.Text
	}
	return f.Text + ": " + f.Effect
}

func line(f compat.Finding) string {
	if f.Code == compat.CodeProved {
		return fmt.Sprintf("%s %s", f.Verdict, f.Role)
	}
	text := fmt.Sprintf("%s %s %s %s %s", f.Severity, f.Role, f.Code, f.Field, sentence(f))
	if f.Witness != nil {
		text += " " + content(f.Witness.Object)
		if f.Witness.Old != nil {
			text += " after " + content(f.Witness.Old)
		}
	}
	return text
}

// content returns an object without what all objects have.
func content(obj map[string]any) string {
	obj = maps.Clone(obj)
	if meta, ok := obj["metadata"].(map[string]any); ok && meta["name"] == "a" {
		delete(obj, "metadata")
	}
	delete(obj, "apiVersion")
	delete(obj, "kind")
	data, err := json.Marshal(obj)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
