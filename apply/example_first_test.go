package apply_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/definition"
)

const boxes = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boxes, kind: Box}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}
`

// Two managers apply the same field.
func Example() {
	crd, err := definition.Parse([]byte(boxes))
	if err != nil {
		panic(err)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		panic(err)
	}
	applier, err := apply.New(def.Storage(), crd)
	if err != nil {
		panic(err)
	}
	box := func(size int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"name": "a", "namespace": "b"}, "size": size,
		}}
	}
	first, err := applier.Apply(context.Background(), apply.Request{Config: box(1), Manager: "deployer"})
	if err != nil {
		panic(err) // there is no verdict
	}
	fmt.Println(first.Err(), first.Created)
	second, err := applier.Apply(context.Background(), apply.Request{Live: first.Object, Config: box(2), Manager: "autoscaler"})
	if err != nil {
		panic(err)
	}
	fmt.Println(second.Conflicts)
	// Output:
	// <nil> true
	// [.size: 1, wanted 2, owned by "deployer" (Apply)]
}
