package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/definition"
)

// An upgrade is a change of a real definition.
type upgrade struct {
	name string
	load func(t *testing.T) (old, crd *apiextensionsv1.CustomResourceDefinition)
}

// upgrades returns the changes between neighbouring versions in one definition, with
// -releases those between releases, and with -histories those in git repositories.
func upgrades(t *testing.T) []upgrade {
	var out []upgrade
	list, _ := definitions(t)
	for _, d := range list {
		for i := range d.CRD.Spec.Versions[1:] {
			before, after := &d.CRD.Spec.Versions[i], &d.CRD.Spec.Versions[i+1]
			if before.Schema == nil || after.Schema == nil {
				continue
			}
			out = append(out, upgrade{fmt.Sprintf("%s %s to %s", d.Path, before.Name, after.Name), func(*testing.T) (old, crd *apiextensionsv1.CustomResourceDefinition) {
				return onlyVersion(d.CRD, i, before.Name), onlyVersion(d.CRD, i+1, before.Name)
			}})
		}
	}
	if *releases {
		for _, m := range modules {
			out = append(out, m.upgrades(t)...)
		}
	}
	if *histories != "" {
		for dir := range strings.SplitSeq(*histories, ",") {
			out = append(out, historyUpgrades(t, dir)...)
		}
	}
	return out
}

// onlyVersion returns a definition that serves one version of another, under a name.
func onlyVersion(crd *apiextensionsv1.CustomResourceDefinition, i int, name string) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	v := crd.Spec.Versions[i]
	v.Name, v.Served, v.Storage = name, true, true
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{v}
	crd.Spec.Conversion = nil
	return crd
}

// A goModule is a Go module with definitions in some directories.
type goModule struct {
	path     string
	versions []string // in increasing order
	dirs     []string
}

var modules = []goModule{
	{"sigs.k8s.io/gateway-api", []string{"v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v1.4.0", "v1.5.0", "v1.5.1", "v1.6.0"}, []string{"config/crd/standard", "config/crd/experimental"}},
	{"sigs.k8s.io/cluster-api", []string{"v1.10.0", "v1.11.0"}, []string{"config/crd/bases", "bootstrap/kubeadm/config/crd/bases", "controlplane/kubeadm/config/crd/bases", "cmd/clusterctl/config/crd/bases"}},
	{"sigs.k8s.io/karpenter", []string{"v1.6.0", "v1.13.0", "v1.14.0"}, []string{"pkg/apis/crds", "kwok/apis/crds"}},
	{"github.com/prometheus-operator/prometheus-operator", []string{"v0.82.0", "v0.84.0"}, []string{"example/prometheus-operator-crd"}},
	{"github.com/kubernetes-csi/external-snapshotter/client/v8", []string{"v8.0.0", "v8.2.0"}, []string{"config/crd"}},
}

// upgrades returns the changes of the definitions that a version of the module and the
// next one have in the same file.
func (m *goModule) upgrades(t *testing.T) []upgrade {
	var out []upgrade
	var before map[string]string
	for i, version := range m.versions {
		after := m.files(t, version)
		for _, name := range slices.Sorted(maps.Keys(after)) {
			if old := before[name]; old != "" {
				out = append(out, upgrade{fmt.Sprintf("%s %s to %s %s", m.path, m.versions[i-1], version, name), func(t *testing.T) (_, _ *apiextensionsv1.CustomResourceDefinition) {
					return parseFile(t, old), parseFile(t, after[name])
				}})
			}
		}
		before = after
	}
	return out
}

// files returns the files of the definitions of a version, by name in the module.
func (m *goModule) files(t *testing.T, version string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", m.path+"@"+version)
	cmd.Dir = t.TempDir() // outside of any module
	text, err := cmd.Output()
	var module struct{ Dir, Error string }
	if err == nil {
		err = json.Unmarshal(text, &module)
	}
	if err != nil || module.Dir == "" {
		t.Fatalf("%s@%s: %v %s", m.path, version, err, text)
	}
	out := map[string]string{}
	for _, dir := range m.dirs {
		files, err := filepath.Glob(filepath.Join(module.Dir, filepath.FromSlash(dir), "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte("\nkind: CustomResourceDefinition\n")) {
				out[dir+"/"+filepath.Base(file)] = file
			}
		}
	}
	return out
}

func parseFile(t *testing.T, file string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	crd, err := definition.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return crd
}
