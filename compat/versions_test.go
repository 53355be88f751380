package compat_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A versionsChange is a case of testdata/versions.yaml.
type versionsChange struct {
	Name     string
	Old, New []struct {
		Name    string
		Served  bool
		Storage bool
		X       apiextensionsv1.JSONSchemaProps
	}
}

// TestVersions records what is found for changes of definitions with several versions.
func TestVersions(t *testing.T) {
	text, err := os.ReadFile("testdata/versions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var list []versionsChange
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range list {
		old, crd := parsed(crontab), parsed(crontab)
		old.Spec.Versions, crd.Spec.Versions = nil, nil
		for _, v := range c.Old {
			old.Spec.Versions = append(old.Spec.Versions, versionOf(v.Name, v.Served, v.Storage, v.X))
		}
		for _, v := range c.New {
			crd.Spec.Versions = append(crd.Spec.Versions, versionOf(v.Name, v.Served, v.Storage, v.X))
		}
		r, err := compat.Compare(context.Background(), old, crd)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		fmt.Fprintln(&b, c.Name)
		for _, f := range parts(r) {
			if f.Role == compat.RoleWriters || f.Role == compat.RoleStored || f.Role == compat.RoleReaders || f.Role == compat.RoleRules {
				fmt.Fprintln(&b, "  "+strings.TrimSpace(f.OldVersion+" "+f.Version)+" "+line(f))
				if f.Witness != nil && f.Witness.Old != nil {
					fmt.Fprintln(&b, "    "+f.New)
				}
			}
		}
	}
	testkit.Recorded(t, "testdata/versions.txt", b.String())
}

func versionOf(name string, served, storage bool, x apiextensionsv1.JSONSchemaProps) apiextensionsv1.CustomResourceDefinitionVersion {
	return apiextensionsv1.CustomResourceDefinitionVersion{
		Name: name, Served: served, Storage: storage,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": x},
		}},
	}
}
