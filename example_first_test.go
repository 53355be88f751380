package crdkit_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
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
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, maximum: 10}
          color: {type: string, default: red}
`

func Example() {
	crd, err := definition.Parse([]byte(boxes))
	if err != nil {
		panic(err)
	}
	def, err := crdkit.Compile(crd)
	if err != nil {
		panic(err)
	}
	for _, size := range []int64{5, 11} {
		obj := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"name": "a"}, "size": size,
		}}
		v, err := def.VersionFor(obj)
		if err != nil {
			panic(err)
		}
		result, err := v.Create(context.Background(), obj) // changes obj as the server does
		if err != nil {
			panic(err) // there is no verdict
		}
		fmt.Println(result.Err(), obj.Object["color"])
	}
	// Output:
	// <nil> red
	// Box.example.com "a" is invalid: size: Invalid value: 11: size in body should be less than or equal to 10 red
}
