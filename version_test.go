package crdkit_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
)

var versionForTests = []struct {
	name             string
	apiVersion, kind string
	want             string // the version, or the end of the error
}{
	{"served", "example.com/v1", "CronTab", "v1"},
	{"served, not stored", "example.com/v1beta1", "CronTab", "v1beta1"},
	{"unknown version", "example.com/v2", "CronTab", `no matches for kind "CronTab" in version "example.com/v2": definition crontabs.example.com does not serve it`},
	{"not served", "example.com/v1alpha1", "CronTab", "definition crontabs.example.com does not serve it"},
	{"another kind", "example.com/v1", "CronTabList", "definition crontabs.example.com does not serve it"},
	{"another group", "example.org/v1", "CronTab", "definition crontabs.example.com does not serve it"},
	{"malformed apiVersion", "a/b/c", "CronTab", `crdkit: apiVersion of the object: unexpected GroupVersion string: a/b/c`},
	{"no apiVersion", "", "CronTab", `no matches for kind "CronTab" in version "": definition crontabs.example.com does not serve it`},
}

func TestVersionFor(t *testing.T) {
	def := compileText(t, cronTab+`  - name: v1alpha1
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
`)
	for _, tt := range versionForTests {
		t.Run(tt.name, func(t *testing.T) {
			obj := &unstructured.Unstructured{Object: map[string]any{}}
			obj.SetAPIVersion(tt.apiVersion)
			obj.SetKind(tt.kind)
			v, err := def.VersionFor(obj)
			if err == nil {
				if v.Name() != tt.want {
					t.Errorf("VersionFor() = %s, want %s", v.Name(), tt.want)
				}
				return
			}
			if v != nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("VersionFor() = %v, %v, want the error %s", v, err, tt.want)
			}
		})
	}
	for _, obj := range []*unstructured.Unstructured{nil, {}} {
		if v, err := def.VersionFor(obj); v != nil || err == nil {
			t.Errorf("VersionFor(%v) = %v, %v, want an error", obj, v, err)
		}
	}
}

func TestVersionByName(t *testing.T) {
	def := compiled()
	if v, ok := def.Version("v1"); !ok || v.Name() != "v1" {
		t.Errorf("Version(v1) = %v, %t", v, ok)
	}
	if v, ok := def.Version("v2"); ok || v != nil {
		t.Errorf("Version(v2) = %v, %t, want none", v, ok)
	}
	if v, ok := def.Preferred(); !ok || v.Name() != "v1" {
		t.Errorf("Preferred() = %v, %t, want v1", v, ok)
	}
	unserved := compileText(t, strings.ReplaceAll(cronTab, "served: true", "served: false"))
	if v, ok := unserved.Preferred(); ok || v != nil {
		t.Errorf("Preferred() = %v, %t without a served version", v, ok)
	}
}

func compileText(t *testing.T, text string) *crdkit.Definition {
	t.Helper()
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	return def
}
