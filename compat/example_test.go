package compat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
)

const crontab = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: crontabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {replicas: {type: integer, maximum: 10}}}}
`

func parsed(text string) *apiextensionsv1.CustomResourceDefinition {
	crd, err := definition.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return crd
}

func ExampleCompare() {
	report, err := compat.Compare(context.Background(), parsed(crontab), parsed(strings.Replace(crontab, "maximum: 10", "maximum: 5", 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Verdict)
	for _, f := range report.Findings {
		witness, err := json.Marshal(f.Witness)
		fmt.Println(f.Verdict, f.Severity, f.Role, f.Version, f.Field, string(witness), f.Text, err)
		for _, also := range f.Also {
			fmt.Println("  also", also.Severity, also.Role, also.Field, also.Effect)
		}
	}
	// Output:
	// incompatible
	// compatible note readers v1  null every object that the new definition admits has the types, fields and values of the old schema <nil>
	// incompatible error writers v1 replicas {"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a","namespace":"default"},"replicas":6} maximum was 10 and is 5 <nil>
	//   also warning stored replicas a stored object is admitted only as long as the value does not change
}

func ExampleNewObjects() {
	objects, err := compat.NewObjects(context.Background(), parsed(crontab), parsed(strings.Replace(crontab, "maximum: 10", "maximum: 5", 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	stored := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "CronTab", "metadata": map[string]any{"name": "a", "namespace": "default"}, "replicas": int64(7),
	}}
	found, err := objects.Check(context.Background(), stored)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found {
		fmt.Println(f.Severity, f.Field, f.Text+":", f.New)
	}
	// Output:
	// warning replicas the value is refused as soon as it changes: replicas: Invalid value: 7: replicas in body should be less than or equal to 5
}
