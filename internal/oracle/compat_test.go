package oracle

import (
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// A compatCase is a change of package compat's tests.
type compatCase struct {
	Name     string
	Root     bool
	Old, New apiextensionsv1.JSONSchemaProps
}

// TestCompat gives the witnesses of package compat to kube-apiserver's handler, for
// the old and the new definition, and generated objects to both for each change that
// is compatible for writers.
func TestCompat(t *testing.T) {
	witnesses, attacks := 0, 0
	for _, file := range []string{"changes", "rules"} {
		text, err := os.ReadFile("../../compat/testdata/" + file + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var cases []compatCase
		if err := yaml.UnmarshalStrict(text, &cases); err != nil {
			t.Fatal(err)
		}
		for i := range cases {
			c := &cases[i]
			t.Run(file+"/"+c.Name, func(t *testing.T) {
				p := newCompatPair(t, compatDefinition(t, c.Old, c.Root), compatDefinition(t, c.New, c.Root))
				p.replay(24)
				witnesses += p.witnesses
				attacks += p.attacks
			})
		}
	}
	t.Logf("%d witnesses replayed, %d objects for compatible changes", witnesses, attacks)
	if witnesses < 80 || attacks < 1000 {
		t.Errorf("too little was compared")
	}
}

// TestCompatVersions does what TestCompat does, for changes of definitions with several
// versions.
func TestCompatVersions(t *testing.T) {
	text, err := os.ReadFile("../../compat/testdata/versions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name     string
		Old, New []compatVersion
	}
	if err := yaml.UnmarshalStrict(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			newCompatPair(t, compatVersions(t, c.Old), compatVersions(t, c.New)).replay(24)
		})
	}
}

type compatVersion struct {
	Name            string
	Served, Storage bool
	X               apiextensionsv1.JSONSchemaProps
}

func compatVersions(t *testing.T, list []compatVersion) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var crd *apiextensionsv1.CustomResourceDefinition
	for i, v := range list {
		one := compatDefinition(t, v.X, false)
		version := one.Spec.Versions[0]
		version.Name, version.Served, version.Storage = v.Name, v.Served, v.Storage
		if i == 0 {
			crd = one
			crd.Spec.Versions = nil
		}
		if v.Storage {
			crd.Status.StoredVersions = []string{v.Name}
		}
		crd.Spec.Versions = append(crd.Spec.Versions, version)
	}
	return crd
}

// compatDefinition returns a definition whose objects have the property x.
func compatDefinition(t *testing.T, props apiextensionsv1.JSONSchemaProps, root bool) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  conversion: {strategy: None}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
status:
  storedVersions: [v1]
  acceptedNames: {plural: crontabs, singular: crontab, kind: CronTab, listKind: CronTabList}
  conditions: [{type: Established, status: "True", lastTransitionTime: "2024-01-01T00:00:00Z", reason: r, message: m}]
`), crd); err != nil {
		t.Fatal(err)
	}
	if !root {
		props = apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"x": props}}
	}
	props.Type = "object"
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &props
	return crd
}
