package crdkit_test

import (
	"fmt"

	"github.com/crdkit/crdkit"
)

const crateCRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crates.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crates, kind: Crate}
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
            properties:
              size: {type: string, format: metric, default: 5}
`

func ExampleCheck() {
	crd, err := crdkit.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	report := crdkit.Check(crd)
	for _, e := range report.Errors {
		fmt.Println(e.Pointer)
		fmt.Println(e.FieldError())
	}
	fmt.Println(report.Warnings)
	// Output:
	// /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/default
	// spec.validation.openAPIV3Schema.properties[spec].properties[size].default: Invalid value: "int64":  in body must be of type metric: "int64"
	// [unrecognized format "metric"]
}

func ExampleCheckUpdate() {
	old, err := crdkit.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	crd := old.DeepCopy()
	crd.Spec.Names.Plural = "boxes"
	for _, e := range crdkit.CheckUpdate(crd, old).Errors {
		if e.Pointer == "/spec/names/plural" {
			fmt.Println(e.FieldError())
		}
	}
	// Output:
	// spec.names.plural: Invalid value: "boxes": field is immutable
}

func ExampleSetDefaults() {
	crd, err := crdkit.Parse([]byte(crateCRD))
	if err != nil {
		panic(err)
	}
	crdkit.SetDefaults(crd)
	fmt.Println(crd.Spec.Names.Singular, crd.Spec.Names.ListKind, crd.Spec.Conversion.Strategy, crd.Status.StoredVersions)
	// Output:
	// crate CrateList None [v1]
}
