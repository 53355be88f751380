package crdkit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
	"github.com/crdkit/crdkit/internal/testopt"
)

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
	reference, err := crdkit.Compile(crd, testopt.Reference{})
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
