package migration_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/migration"
)

const backups = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.example.com}
spec: {group: example.com, scope: Namespaced, names: {plural: backups, kind: Backup}, versions: [
  {name: v1beta1, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {image: {type: string}, retries: {type: integer}}}}},
  {name: v1, served: true, storage: %t, schema: {openAPIV3Schema: {type: object, properties: {image: {type: string}}}}}]}`

func Example() {
	old, err := definition.Parse(fmt.Appendf(nil, backups, true, false))
	if err != nil {
		panic(err)
	}
	crd, err := definition.Parse(fmt.Appendf(nil, backups, false, true))
	if err != nil {
		panic(err)
	}
	for _, step := range migration.NewPlan(old, crd).Steps {
		fmt.Println(step)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		panic(err)
	}
	stored := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1beta1", "kind": "Backup",
		"metadata": map[string]any{"name": "weekly", "namespace": "a"}, "image": "backup:1", "retries": int64(2)}}
	for rewrite, err := range migration.DryRun(context.Background(), def, migration.Objects(stored)) {
		if err != nil {
			panic(err)
		}
		fmt.Println(rewrite.Object.GetName(), rewrite.Outcome(), rewrite.Lost, rewrite.Failure)
	}
	// Output:
	// apply the new definition
	// read all objects and write them back unchanged, which stores them at v1
	// remove v1beta1 from status.storedVersions
	// weekly lossy [retries] <nil>
}
