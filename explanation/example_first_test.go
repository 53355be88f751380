package explanation_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
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
          spec:
            type: object
            x-kubernetes-validations: [{rule: self.min <= self.max}]
            properties: {min: {type: integer}, max: {type: integer}}
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
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"name": "a"},
		"spec": map[string]any{"min": int64(5), "max": int64(3)},
	}}
	result, err := def.Storage().Create(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	explainer := explanation.New(def.Storage())
	for _, e := range result.Errors {
		fmt.Println(e)
		why, err := explainer.Error(context.Background(), e, obj, nil)
		if err != nil {
			panic(err)
		}
		if why != nil {
			fmt.Println(why.Text)
		}
	}
	// Output:
	// spec: Invalid value: failed rule: self.min <= self.max
	// self.min (5) <= self.max (3) is false
}
