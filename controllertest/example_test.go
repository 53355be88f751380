package controllertest_test

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/controllertest"
	"github.com/crdkit/crdkit/definition"
)

const boxes = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boxes, singular: box, kind: Box, listKind: BoxList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, maximum: 10}, color: {type: string, default: red}}}}
`

// A test uses New, which closes the environment at its end, and crdtest.Load for definitions
// in files.
func Example() {
	crd, err := definition.Parse([]byte(boxes))
	if err != nil {
		panic(err)
	}
	definitions, err := controllertest.FromCRDs([]*apiextensionsv1.CustomResourceDefinition{crd})
	if err != nil {
		panic(err)
	}
	environment, err := controllertest.Start(definitions)
	if err != nil {
		panic(err)
	}
	defer environment.Close()
	client := environment.Client() // for the controller that is tested
	for _, size := range []int64{5, 11} {
		box := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"name": "a", "namespace": "b"}, "size": size,
		}}
		fmt.Println(client.Create(context.Background(), box), box.Object["color"])
	}
	// Output:
	// <nil> red
	// Box.example.com "a" is invalid: size: Invalid value: 11: size in body should be less than or equal to 10 <nil>
}
