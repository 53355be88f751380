package crdkit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
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

// TestKubernetesVersionRules checks that rules may use the functions of the
// chosen version. Version 1.30 introduced isIP.
func TestKubernetesVersionRules(t *testing.T) {
	text := strings.Replace(cronTab, "self.replicas >= oldSelf.replicas", "isIP(self.cronSpec)", 1)
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		version  string
		compiles bool
	}{
		{"1.29", false}, {"1.30", true}, {"v1.31.4", true}, {"1.37", true}, {"", true},
	} {
		_, err := crdkit.Compile(crd, crdkit.KubernetesVersion(tt.version))
		if (err == nil) != tt.compiles {
			t.Errorf("%q: Compile: %v, want success %t", tt.version, err, tt.compiles)
		}
		if err != nil && !strings.Contains(err.Error(), "undeclared reference to 'isIP'") {
			t.Errorf("%q: Compile: %v", tt.version, err)
		}
	}
}

// TestKubernetesVersionUnknown checks that an unknown version is an error. The
// rules of another version could give a wrong verdict.
func TestKubernetesVersionUnknown(t *testing.T) {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"latest", "1.28", "1.38", "2.0"} {
		opt := crdkit.KubernetesVersion(version)
		_, err := crdkit.Compile(crd, opt)
		want := fmt.Sprintf("crdkit: %q is not a version of Kubernetes from 1.29 to 1.37", version)
		if err == nil || err.Error() != want {
			t.Errorf("Compile: %v, want %s", err, want)
		}
	}
}

// TestKubernetesVersionFormats checks that the fast path and the engines
// support the same formats.
func TestKubernetesVersionFormats(t *testing.T) {
	text := strings.Replace(cronTab, "cronSpec: {type: string}", "cronSpec: {type: string, format: k8s-short-name}", 1)
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for version, refuses := range map[string]bool{"1.29": false, "1.34": false, "1.35": true, "1.37": true, "": true} {
		for _, opts := range [][]crdkit.Option{{crdkit.KubernetesVersion(version)}, {crdkit.Reference(), crdkit.KubernetesVersion(version)}} {
			def, err := crdkit.Compile(crd, opts...)
			if err != nil {
				t.Fatal(err)
			}
			v := testkit.Must(def.Version("v1"))
			obj := func() *unstructured.Unstructured {
				return cronTabObject("v1", map[string]any{"cronSpec": "Not A Name", "replicas": int64(1)})
			}
			raw, err := obj().MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]error{}
			judge := func(name string, res *crdkit.Result, err error) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got[name] = res.Err()
			}
			res, err := v.Create(ctx, obj())
			judge("Create", res, err)
			_, res, err = v.CreateJSON(ctx, raw)
			judge("CreateJSON", res, err)
			got["ValidJSON"] = nil
			if !v.ValidJSON(raw) {
				got["ValidJSON"] = fmt.Errorf("refused")
			}
			for name, err := range got {
				if (err != nil) != refuses {
					t.Errorf("%s at %q with %d options: %v, want refused %t", name, version, len(opts), err, refuses)
				}
			}
		}
	}
}

// lazinessCases returns a definition in which two versions have the same
// schema, and objects for it, valid and invalid.
func lazinessCases(t *testing.T) (*apiextensionsv1.CustomResourceDefinition, []string) {
	t.Helper()
	crd, err := definition.Parse([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
		"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
		{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"self.size < 9","message":"too large"}],
		"properties":{"size":{"type":"integer","default":3},"name":{"type":"string","pattern":"^[a-z]+$"},"pod":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}}}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"v1beta1", "v2"} {
		v := *crd.Spec.Versions[0].DeepCopy()
		v.Name, v.Storage = name, false
		crd.Spec.Versions = append(crd.Spec.Versions, v)
	}
	spec := crd.Spec.Versions[2].Schema.OpenAPIV3Schema.Properties["spec"]
	spec.Properties["colour"] = apiextensionsv1.JSONSchemaProps{Type: "string"} // makes the schema of v2 differ
	var objects []string
	for _, version := range []string{"v1", "v1beta1", "v2"} {
		for _, spec := range []string{
			`{}`, `{"size":4,"name":"a","colour":"red","odd":[1]}`, `{"size":10}`, `{"size":"x","name":"A"}`, `{"name":null}`,
			`{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a b","odd":1},"spec":{}}}`,
		} {
			objects = append(objects, fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Widget","metadata":{"name":"w"},"spec":%s}`, version, spec))
		}
	}
	return crd, objects
}

// verdictOf returns the result of creating an object, as text.
func verdictOf(t *testing.T, d *crdkit.Definition, object string) string {
	t.Helper()
	obj, err := testkit.Decode([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	version := testkit.Sample{Object: obj}.Version()
	stored, res, err := testkit.Must(d.Version(version)).CreateJSON(context.Background(), []byte(object), crdkit.Warn)
	if err != nil {
		t.Fatal(err)
	}
	if stored == nil {
		return fmt.Sprintf("refused: %v: %v, %d omitted, %v, cost %d", res.Err(), res.Errors, res.Omitted, res.Warnings, res.Cost)
	}
	return fmt.Sprintf("%s %v", stored, res.Warnings)
}

// TestSharedEngines checks that engines that versions share give the same results as the
// reference implementations.
func TestSharedEngines(t *testing.T) {
	crd, objects := lazinessCases(t)
	reference, err := crdkit.Compile(crd, crdkit.Reference())
	if err != nil {
		t.Fatal(err)
	}
	shared, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, object := range objects {
		want, got := verdictOf(t, reference, object), verdictOf(t, shared, object)
		if got != want {
			t.Errorf("CreateJSON(%s)\n got %s\nwant %s", object, got, want)
		}
		if strings.HasPrefix(got, "refused") {
			refused++
		}
	}
	if refused < 6 {
		t.Errorf("%d of %d objects are refused, which is too few to show anything", refused, len(objects))
	}
	if testkit.Must(shared.Version("v1")).Schema() != testkit.Must(shared.Version("v1beta1")).Schema() {
		t.Error("two versions with the same schema have two compiled ones")
	}
	if testkit.Must(shared.Version("v1")).Schema() == testkit.Must(shared.Version("v2")).Schema() {
		t.Error("two versions with different schemas have one compiled one")
	}
}

// TestConcurrentFirstUse checks that goroutines which use the engines for the
// first time at once all get complete engines.
func TestConcurrentFirstUse(t *testing.T) {
	crd, objects := lazinessCases(t)
	reference, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, object := range objects {
		want = append(want, verdictOf(t, reference, object))
	}
	for range 5 {
		d, err := crdkit.Compile(crd)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range objects {
					i = (i + g) % len(objects)
					if got := verdictOf(t, d, objects[i]); got != want[i] {
						t.Errorf("CreateJSON(%s)\n got %s\nwant %s", objects[i], got, want[i])
					}
				}
			})
		}
		wg.Wait()
	}
}
