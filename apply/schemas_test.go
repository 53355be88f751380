package apply_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// BenchmarkNewAll makes the Appliers of all definitions of the corpus. Each definition is in two
// groups. It reports the heap that the Appliers of one definition keep, without Share and with one
// Schemas for all.
func BenchmarkNewAll(b *testing.B) {
	catalog := crdkit.NewCatalog()
	declared := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, d := range testkit.FindCorpus(b).Definitions {
		for _, crd := range []*apiextensionsv1.CustomResourceDefinition{d.CRD, inGroup(d.CRD, "other."+d.CRD.Spec.Group)} {
			if err := catalog.Add(crd); err == nil { // the corpus has some definitions twice
				declared[crd.Name] = crd
			}
		}
	}
	for _, d := range catalog.Definitions() {
		for _, v := range d.Versions() {
			v.Schema() // is compiled
		}
	}
	for _, name := range []string{"alone", "shared"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var opts []apply.Option
				var kept []map[string]*apply.Applier
				before := heapInUse()
				if name == "shared" {
					opts = append(opts, apply.Share(&apply.Schemas{}))
				}
				for _, d := range catalog.Definitions() {
					all, err := apply.NewAll(d, declared[d.Name()], opts...)
					if err != nil {
						b.Fatal(err)
					}
					kept = append(kept, all)
				}
				b.ReportMetric(float64(heapInUse()-before)/float64(len(kept)), "heap-B/definition")
				runtime.KeepAlive(kept)
			}
		})
	}
}

// inGroup returns a copy of a definition in another group.
func inGroup(crd *apiextensionsv1.CustomResourceDefinition, group string) *apiextensionsv1.CustomResourceDefinition {
	out := crd.DeepCopy()
	out.Spec.Group, out.Name = group, crd.Spec.Names.Plural+"."+group
	return out
}

// TestShare tests that definitions of a catalog with equal schemas share the typed schema,
// that others do not, and that a shared one gives the same results.
func TestShare(t *testing.T) {
	first := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(widgets), first); err != nil {
		t.Fatal(err)
	}
	second, different := inGroup(first, "example.org"), inGroup(first, "example.net")
	delete(different.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties, "mode")
	catalog, schemas := crdkit.NewCatalog(), &apply.Schemas{}
	made := map[string]*apply.Applier{}
	for _, crd := range []*apiextensionsv1.CustomResourceDefinition{first, second, different} {
		if err := catalog.Add(crd); err != nil {
			t.Fatal(err)
		}
		d, _ := catalog.Definition(crd.Name)
		all, err := apply.NewAll(d, crd, apply.Share(schemas), apply.Clock(noon))
		if err != nil {
			t.Fatal(err)
		}
		for version, a := range all {
			made[crd.Spec.Group+"/"+version] = a
		}
	}
	a := made["example.com/v1"]
	for name, want := range map[string]bool{"example.com/v2": true, "example.org/v1": true, "example.org/v2": true, "example.net/v1": false, "example.net/v2": true} {
		if got := a.SharesTypes(made[name]); got != want {
			t.Errorf("example.com/v1 and %s share types: %v, want %v", name, got, want)
		}
	}
	live := widget("spec: {replicas: 1, env: [{name: A, value: x}]}")
	live.SetAPIVersion("example.org/v2")
	for _, config := range []string{"spec: {replicas: 1, env: [{name: A}, {name: B}]}", "spec: {replicas: x}", "spec: {none: 1}", "spec: {}"} {
		var got []string
		for _, a := range []*apply.Applier{made["example.org/v2"], alone(t, second)["v2"]} {
			c := widget(config)
			c.SetAPIVersion("example.org/v2")
			res, err := a.Apply(context.Background(), apply.Request{Live: live, Config: c, Manager: "m"})
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(res.Err())
			if res.Object != nil {
				text = encode(t, res.Object)
			}
			got = append(got, text)
		}
		if got[0] != got[1] {
			t.Errorf("%s: shared %s, alone %s", config, got[0], got[1])
		}
	}
}

func alone(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) map[string]*apply.Applier {
	t.Helper()
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	all, err := apply.NewAll(d, crd, apply.Clock(noon))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestShareConcurrently makes Appliers at once.
func TestShareConcurrently(t *testing.T) {
	crd, schemas := &apiextensionsv1.CustomResourceDefinition{}, &apply.Schemas{}
	if err := yaml.Unmarshal([]byte(widgets), crd); err != nil {
		t.Fatal(err)
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	made := make([]map[string]*apply.Applier, 8)
	for i := range made {
		group.Go(func() {
			all, err := apply.NewAll(d, crd, apply.Share(schemas))
			if err != nil {
				return // made[i] is nil
			}
			made[i] = all
			_, _ = made[i]["v1"].Apply(context.Background(), apply.Request{Config: widget("spec: {replicas: 1}"), Manager: "m"})
		})
	}
	group.Wait()
	for _, all := range made {
		if all == nil || !all["v1"].SharesTypes(made[0]["v2"]) {
			t.Fatal("the Appliers do not share their types")
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
