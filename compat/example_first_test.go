package compat_test

import (
	"context"
	"fmt"

	"github.com/crdkit/crdkit/compat"
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
    schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, maximum: %d}}}}
`

// The limit of a field becomes smaller.
func Example() {
	old, err := definition.Parse(fmt.Appendf(nil, boxes, 10))
	if err != nil {
		panic(err)
	}
	crd, err := definition.Parse(fmt.Appendf(nil, boxes, 5))
	if err != nil {
		panic(err)
	}
	report, err := compat.Compare(context.Background(), old, crd)
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Verdict)
	for _, f := range report.Findings {
		fmt.Println(f.Severity, f.Role, f.Field, f.Text)
	}
	// Output:
	// incompatible
	// note readers  every object that the new definition admits has the types, fields and values of the old schema
	// error writers size maximum was 10 and is 5
}
