package migration_test

import (
	"context"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/migration"
)

const beta = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {host: {type: string}, port: {type: string}}}}
`

// stable returns beta with a second version v1, which has the same schema and
// is the storage version.
func stable() string {
	text := strings.Replace(beta, "storage: true", "storage: false", 1)
	return text + `
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {host: {type: string}, port: {type: string}}}}
`
}

func parsed(text string) *apiextensionsv1.CustomResourceDefinition {
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return crd
}

func compile(crd *apiextensionsv1.CustomResourceDefinition) *crdkit.Definition {
	def, err := crdkit.Compile(crd)
	if err != nil {
		panic(err)
	}
	return def
}

// store creates an object, or updates old, and returns what is in storage.
func store(v *crdkit.Version, obj, old *unstructured.Unstructured) *unstructured.Unstructured {
	ctx := context.Background()
	result, err := v.Create(ctx, obj)
	if old != nil {
		result, err = v.Update(ctx, obj, old)
	}
	if err != nil || !result.Admitted() {
		panic(fmt.Sprint(err, result.Err()))
	}
	stored, err := v.Store(ctx, obj)
	if err != nil {
		panic(err)
	}
	return stored
}

func read(v *crdkit.Version, stored *unstructured.Unstructured) *unstructured.Unstructured {
	obj, _, err := v.Read(context.Background(), stored)
	if err != nil {
		panic(err)
	}
	return obj
}

// The example follows the steps of the documentation for a new storage version:
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#writing-reading-and-updating-versioned-customresourcedefinition-objects
func Example_newStorageVersion() {
	newTab := func(version, name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/" + version, "kind": "CronTab",
			"metadata": map[string]any{"name": name, "namespace": "default"},
			"host":     "localhost", "port": "1234",
		}}
	}
	// 1. The storage version is v1beta1. An object is created, and stored at it.
	crd := parsed(beta)
	crd.Status.StoredVersions = definition.StoredVersions(crd, nil)
	def := compile(crd)
	version := func(name string) *crdkit.Version {
		v, ok := def.Version(name)
		if !ok {
			panic(name)
		}
		return v
	}
	first := store(version("v1beta1"), newTab("v1beta1", "first"), nil)
	fmt.Println("1. first is stored at", first.GetAPIVersion(), "of", crd.Status.StoredVersions)

	// 2. Version v1 is added, and becomes the storage version.
	next := parsed(stable())
	next.Status.StoredVersions = definition.StoredVersions(next, crd)
	def = compile(next)
	fmt.Println("2. first is stored at", first.GetAPIVersion(), "of", next.Status.StoredVersions)

	// 3. The object is read at v1beta1 and at v1: the same but for apiVersion.
	old, current := read(version("v1beta1"), first), read(version("v1"), first)
	fmt.Println("3. first reads as", old.GetAPIVersion(), old.Object["host"], "and as", current.GetAPIVersion(), current.Object["host"])

	// 4. A new object is created, and stored at v1.
	second := store(version("v1beta1"), newTab("v1beta1", "second"), nil)
	fmt.Println("4. second is stored at", second.GetAPIVersion())

	// 5. The first object is updated, and thereby stored at v1.
	changed := old.DeepCopy()
	changed.Object["port"] = "5678"
	first = store(version("v1beta1"), changed, old)
	fmt.Println("5. first is stored at", first.GetAPIVersion())

	// 6. No object is stored at v1beta1 any more. The program removes it from
	// storedVersions, which the server never does. The version can be dropped
	// once it is not served.
	next.Status.StoredVersions = []string{"v1"}
	last := next.DeepCopy()
	last.Spec.Versions = last.Spec.Versions[1:]
	fmt.Println("6. dropping v1beta1:", len(migration.NewPlan(next, last).Errors), "errors")
	// Output:
	// 1. first is stored at example.com/v1beta1 of [v1beta1]
	// 2. first is stored at example.com/v1beta1 of [v1beta1 v1]
	// 3. first reads as example.com/v1beta1 localhost and as example.com/v1 localhost
	// 4. second is stored at example.com/v1
	// 5. first is stored at example.com/v1
	// 6. dropping v1beta1: 0 errors
}

func ExampleNewPlan() {
	plan := migration.NewPlan(parsed(beta), parsed(stable()))
	for _, v := range plan.Versions {
		for _, blocker := range v.Blockers {
			fmt.Printf("%s cannot be dropped: %s\n", v.Name, blocker.Description())
		}
	}
	for i, step := range plan.Steps {
		fmt.Printf("%d. %s\n", i+1, step)
	}
	// Output:
	// v1 cannot be dropped: it is the storage version
	// v1 cannot be dropped: it is served; set served to false first, and see who complains
	// v1beta1 cannot be dropped: objects may be stored at it; rewrite them, then remove it from status.storedVersions
	// v1beta1 cannot be dropped: it is served; set served to false first, and see who complains
	// 1. apply the new definition
	// 2. read all objects and write them back unchanged, which stores them at v1
	// 3. remove v1beta1 from status.storedVersions
}

func ExampleDryRun() {
	// v1 renames port to hostPort, and no conversion is declared.
	def := compile(parsed(strings.Replace(stable(), "v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {host: {type: string}, port:",
		"v1\n    served: true\n    storage: true\n    schema: {openAPIV3Schema: {type: object, properties: {host: {type: string}, hostPort:", 1)))
	tab := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1beta1", "kind": "CronTab",
		"metadata": map[string]any{"name": "first", "namespace": "default"},
		"host":     "localhost", "port": "1234",
	}}
	for r, err := range migration.DryRun(context.Background(), def, migration.Objects(tab)) {
		if err != nil {
			panic(err)
		}
		fmt.Println(r.Object.GetName(), r.Outcome(), r.Changes, r.Lost)
	}
	// Output:
	// first lossy [removed port] [port]
}

func ExampleObjects() {
	n := 0
	for range migration.Objects(&unstructured.Unstructured{}, &unstructured.Unstructured{}) {
		n++
	}
	fmt.Println(n)
	// Output:
	// 2
}

func ExampleAtVersion() {
	def := compile(parsed(stable()))
	for _, err := range migration.DryRun(context.Background(), def, migration.Objects(), migration.AtVersion("v2")) {
		fmt.Println(err)
	}
	// Output:
	// crdkit: definition crontabs.example.com does not serve version "v2"
}
