package patch_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/patch"
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
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, maximum: 10}}}}
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
	live := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"name": "a", "namespace": "b"}, "size": int64(1),
	}}
	patcher := patch.New(def.Storage())
	for _, body := range []string{`{"size":5}`, `{"size":11}`} {
		result, err := patcher.Patch(context.Background(), live, types.MergePatchType, []byte(body))
		if err != nil {
			panic(err) // there is no verdict
		}
		if err := result.Err(); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.Object.Object["size"])
	}
	// Output:
	// 5
	// Box.example.com "a" is invalid: size: Invalid value: 11: size in body should be less than or equal to 10
}
