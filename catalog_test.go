package crdkit_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/testkit"
)

// parsedDefinition returns cronTab with replacements applied to its text.
func parsedDefinition(t testing.TB, replacements ...string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd, err := definition.Parse([]byte(strings.NewReplacer(replacements...).Replace(cronTab)))
	if err != nil {
		t.Fatal(err)
	}
	return crd
}

// newCatalog returns a catalog of definitions.
func newCatalog(t testing.TB, definitions ...*apiextensionsv1.CustomResourceDefinition) *crdkit.Catalog {
	t.Helper()
	c := crdkit.NewCatalog()
	for _, crd := range definitions {
		if err := c.Add(crd); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func cronTabKind(version string) runtimeschema.GroupVersionKind {
	return runtimeschema.GroupVersionKind{Group: "example.com", Version: version, Kind: "CronTab"}
}

// names returns the names of all definitions of a catalog.
func names(c *crdkit.Catalog) (names []string) {
	for _, d := range c.Definitions() {
		names = append(names, d.Name())
	}
	return names
}

func TestCatalog(t *testing.T) {
	c := newCatalog(t, parsedDefinition(t), parsedDefinition(t, "example.com", "a.example.org"))
	if diff := cmp.Diff([]string{"crontabs.a.example.org", "crontabs.example.com"}, names(c)); diff != "" {
		t.Errorf("Definitions() (-want +got):\n%s", diff)
	}
	v, err := c.Version(cronTabKind("v1beta1"))
	if err != nil || v.Name() != "v1beta1" || v.Definition().Name() != "crontabs.example.com" {
		t.Fatalf("Version() = %v, %v", v, err)
	}
	if again, _ := c.Version(cronTabKind("v1beta1")); again != v {
		t.Error("Version() is not the same when called again")
	}
	byObject, err := c.VersionFor(cronTabObject("v1beta1", nil))
	if err != nil || byObject != v {
		t.Errorf("VersionFor() = %v, %v", byObject, err)
	}
	for _, kind := range []runtimeschema.GroupVersionKind{cronTabKind("v2"), {Group: "example.com", Version: "v1", Kind: "Other"}, {}} {
		if v, err := c.Version(kind); v != nil || err == nil || !strings.Contains(err.Error(), "no matches for kind") {
			t.Errorf("Version(%v) = %v, %v, want an error", kind, v, err)
		}
	}
	if v, err := c.VersionFor(nil); v != nil || err == nil {
		t.Errorf("VersionFor(nil) = %v, %v, want an error", v, err)
	}
	if !c.Remove("crontabs.example.com") || c.Remove("crontabs.example.com") {
		t.Error("Remove() does not report whether there was a definition")
	}
	if _, ok := c.Definition("crontabs.example.com"); ok {
		t.Error("a removed definition is there")
	}
	if _, err := c.Version(cronTabKind("v1")); err == nil {
		t.Error("a removed definition is served")
	}
	obj := cronTabObject("v1beta1", nil)
	if result, err := v.Create(t.Context(), obj); err != nil || !result.Admitted() {
		t.Errorf("a version of a removed definition cannot be used: %v, %v", result, err)
	}
}

// TestCatalogRequests compares requests to versions of a catalog with requests
// to compiled definitions, for each order of the versions.
func TestCatalogRequests(t *testing.T) {
	want := compiled()
	for _, version := range []string{"v1", "v1beta1"} {
		for _, other := range []string{"v1", "v1beta1"} {
			t.Run(version+" "+other, func(t *testing.T) {
				v, err := newCatalog(t, parsedDefinition(t)).Version(cronTabKind(version))
				if err != nil {
					t.Fatal(err)
				}
				w := testkit.Must(want.Version(version))
				object := func() *unstructured.Unstructured {
					return cronTabObject(other, map[string]any{"cronSpec": "* * * * *", "unknown": "x"})
				}
				got, gotResult, gotErr := v.Read(t.Context(), object())
				wanted, wantResult, wantErr := w.Read(t.Context(), object())
				if diff := cmp.Diff(fmt.Sprint(wanted, wantResult, wantErr), fmt.Sprint(got, gotResult, gotErr)); diff != "" {
					t.Errorf("Read() (-Compile +Catalog):\n%s", diff)
				}
				got, gotErr = v.Store(t.Context(), object())
				wanted, wantErr = w.Store(t.Context(), object())
				if diff := cmp.Diff(fmt.Sprint(wanted, wantErr), fmt.Sprint(got, gotErr)); diff != "" {
					t.Errorf("Store() (-Compile +Catalog):\n%s", diff)
				}
				retarget := crdkit.Mutate(func(_ context.Context, obj *unstructured.Unstructured) error {
					obj.SetAPIVersion("example.com/" + other)
					return nil
				})
				for _, opts := range [][]crdkit.RequestOption{nil, {retarget}} {
					obj, wantedObj := cronTabObject(version, map[string]any{"cronSpec": "* * * * *"}), cronTabObject(version, map[string]any{"cronSpec": "* * * * *"})
					result, err := v.Create(t.Context(), obj, opts...)
					wantedResult, wantedErr := w.Create(t.Context(), wantedObj, opts...)
					if diff := cmp.Diff(fmt.Sprint(wantedObj, wantedResult.Err(), wantedErr), fmt.Sprint(obj, result.Err(), err)); diff != "" {
						t.Errorf("Create() (-Compile +Catalog):\n%s", diff)
					}
				}
			})
		}
	}
}

// TestCatalogErrors adds definitions that cannot be served.
func TestCatalogErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		crd  *apiextensionsv1.CustomResourceDefinition
		opts []crdkit.Option
		want string
	}{
		{"nil", nil, nil, "the definition is nil"},
		{"no name", parsedDefinition(t, "crontabs.example.com", `""`), nil, "the definition has no name"},
		{"no kind", parsedDefinition(t, "kind: CronTab", `kind: ""`), nil, "spec.names.kind: Required value"},
		{"wrong option", parsedDefinition(t), []crdkit.Option{crdkit.KubernetesVersion("2.0")}, `"2.0" is not a version of Kubernetes`},
		{"same kind", parsedDefinition(t, "crontabs", "tabs"), nil, `definition tabs.example.com: the kind "CronTab" is already in use by definition crontabs.example.com`},
		{"kind of lists", parsedDefinition(t, "crontabs", "tabs", "kind: CronTab", "kind: CronTabList"), nil, `definition tabs.example.com: the kind "CronTabList" is already in use by definition crontabs.example.com`},
		{"resource", parsedDefinition(t, "name: crontabs.example.com", "name: tabs.example.com", "kind: CronTab", "kind: Tab"), nil, `definition tabs.example.com: the resource name "crontabs" is already in use by definition crontabs.example.com`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := crdkit.NewCatalog(tt.opts...)
			if len(tt.opts) == 0 {
				c = newCatalog(t, parsedDefinition(t))
			}
			before := names(c)
			if err := c.Add(tt.crd); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Add() = %v, want the error %s", err, tt.want)
			}
			if diff := cmp.Diff(before, names(c)); diff != "" {
				t.Errorf("Add() changes the catalog (-before +after):\n%s", diff)
			}
		})
	}
}

// TestCatalogSchemaErrors checks that a version that does not compile does not
// affect the others, and that requests that need it return its error.
func TestCatalogSchemaErrors(t *testing.T) {
	crd := parsedDefinition(t)
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Name == "v1beta1" {
			crd.Spec.Versions[i].Schema.OpenAPIV3Schema.Type = ""
		}
	}
	_, compileErr := crdkit.Compile(crd)
	c := newCatalog(t, crd)
	good, err := c.Version(cronTabKind("v1"))
	if err != nil {
		t.Fatal(err)
	}
	if result, err := good.Create(t.Context(), cronTabObject("v1", map[string]any{"cronSpec": "* * * * *"})); err != nil || !result.Admitted() {
		t.Errorf("Create() at the good version = %v, %v", result, err)
	}
	var errs []error
	for range 2 {
		v, err := c.Version(cronTabKind("v1beta1"))
		if v != nil {
			t.Error("Version() returns a version that does not compile")
		}
		errs = append(errs, err)
	}
	d, _ := c.Definition("crontabs.example.com")
	bad := testkit.Must(d.Version("v1beta1"))
	if bad.Schema() != nil {
		t.Error("a version that does not compile has a schema")
	}
	obj := func() *unstructured.Unstructured { return cronTabObject("v1beta1", nil) }
	_, err = bad.Create(t.Context(), obj())
	errs = append(errs, err)
	_, _, err = bad.CreateJSON(t.Context(), []byte(`{}`))
	errs = append(errs, err)
	_, _, err = good.Read(t.Context(), obj())
	errs = append(errs, err)
	_, err = good.Create(t.Context(), obj())
	errs = append(errs, err)
	if bad.ValidJSON([]byte(`{"apiVersion": "example.com/v1beta1", "kind": "CronTab", "metadata": {"name": "x"}}`)) {
		t.Error("an object of a version that does not compile is valid")
	}
	for i, err := range errs {
		if err == nil || err.Error() != compileErr.Error() {
			t.Errorf("error %d is %v, want %v", i, err, compileErr)
		}
	}
}

// TestCatalogShares checks that two definitions with equal schemas share one.
func TestCatalogShares(t *testing.T) {
	c := newCatalog(t, parsedDefinition(t), parsedDefinition(t, "example.com", "example.org"))
	one, err := c.Version(cronTabKind("v1"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := c.Version(runtimeschema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "CronTab"})
	if err != nil {
		t.Fatal(err)
	}
	if one.Schema() != two.Schema() {
		t.Error("two definitions with the same schema do not share it")
	}
}

// TestCatalogConcurrently replaces and removes a definition while requests run.
func TestCatalogConcurrently(t *testing.T) {
	c := newCatalog(t, parsedDefinition(t))
	definitions := []*apiextensionsv1.CustomResourceDefinition{parsedDefinition(t), parsedDefinition(t, "default: 1", "default: 2")}
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for i := range 2 {
		writers.Go(func() {
			for range 50 {
				if err := c.Add(definitions[i].DeepCopy()); err != nil {
					t.Error(err)
				}
				if i == 1 {
					c.Remove("crontabs.example.com")
				}
			}
		})
	}
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				v, err := c.Version(cronTabKind("v1"))
				if err != nil {
					continue // it is removed at this moment
				}
				obj := cronTabObject("v1", map[string]any{"cronSpec": "* * * * *"})
				result, err := v.Create(t.Context(), obj)
				if err != nil || !result.Admitted() {
					t.Errorf("Create() = %v, %v", result, err)
				}
				if _, err := v.Store(t.Context(), obj); err != nil {
					t.Error(err)
				}
				if n, _, _ := unstructured.NestedInt64(obj.Object, "spec", "replicas"); n != 1 && n != 2 {
					t.Errorf("the object has %d replicas, want the default of one of the definitions", n)
				}
			}
		})
	}
	readers.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				c.Definitions()
			}
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
}

func ExampleNewCatalog() {
	crd, err := definition.Parse([]byte(cronTab))
	if err != nil {
		panic(err)
	}
	catalog := crdkit.NewCatalog()
	if err := catalog.Add(crd); err != nil {
		panic(err)
	}
	obj := cronTabObject("v1", map[string]any{"cronSpec": "0 3 * * *"})
	v, err := catalog.VersionFor(obj)
	if err != nil {
		panic(err)
	}
	result, err := v.Create(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Err(), obj.Object["spec"])
	// Output:
	// <nil> map[cronSpec:0 3 * * * replicas:1]
}

func TestZeroCatalog(t *testing.T) {
	var c crdkit.Catalog
	if n := len(c.Definitions()); n != 0 || c.Remove("crontabs.example.com") {
		t.Errorf("the zero Catalog has %d definitions", n)
	}
	if err := c.Add(parsedDefinition(t)); err != nil || len(c.Definitions()) != 1 {
		t.Errorf("Add() = %v, and there are %d definitions", err, len(c.Definitions()))
	}
}
