package definition_test

import (
	"fmt"

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
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, default: large}}}}
`

func Example() {
	crd, err := definition.Parse([]byte(boxes))
	if err != nil {
		panic(err)
	}
	report := definition.Check(crd)
	fmt.Println(report.Accepted())
	source := definition.NewSource([]byte(boxes), definition.Position{})
	for _, e := range report.Errors {
		fmt.Println(source.Position(e.Pointer), e.FieldError())
	}
	// Output:
	// false
	// 13:81 spec.validation.openAPIV3Schema.properties[size].default: Invalid value: "string":  in body must be of type integer: "string"
}
