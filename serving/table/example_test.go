package table_test

import (
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/serving/table"
)

// columns is a value of spec.versions[*].additionalPrinterColumns.
var columns = []apiextensionsv1.CustomResourceColumnDefinition{
	{Name: "Schedule", Type: "string", JSONPath: ".spec.schedule"},
	{Name: "Replicas", Type: "integer", JSONPath: ".spec.replicas", Priority: 1},
	{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
}

func crontab(name, schedule string, replicas int64) unstructured.Unstructured {
	return unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1",
		"kind":       "CronTab",
		"metadata":   map[string]any{"name": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
		"spec":       map[string]any{"schedule": schedule, "replicas": replicas},
	}}
}

func ExampleNew() {
	p, err := table.New(columns)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range p.Columns() {
		fmt.Println(c.Name, c.Type, c.Priority)
	}
	// Output:
	// Name string 0
	// Schedule string 0
	// Replicas integer 1
	// Age date 0
}

func ExamplePrinter_Object() {
	p, err := table.New(nil) // a version that declares no columns
	if err != nil {
		fmt.Println(err)
		return
	}
	obj := crontab("nightly", "0 3 * * *", 2)
	t := p.Object(&obj, time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC))
	fmt.Println(t.Rows[0].Cells)
	// Output:
	// [nightly 2d]
}

func ExamplePrinter_List() {
	p, err := table.New(columns)
	if err != nil {
		fmt.Println(err)
		return
	}
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{
		crontab("nightly", "0 3 * * *", 2),
		crontab("hourly", "0 * * * *", 1),
	}}
	t := p.List(list, time.Date(2026, 1, 1, 0, 0, 42, 0, time.UTC))
	for _, row := range t.Rows {
		fmt.Println(row.Cells...)
	}
	// Output:
	// nightly 0 3 * * * 2 42s
	// hourly 0 * * * * 1 42s
}

func ExampleScaleColumns() {
	p, err := table.New(table.ScaleColumns(&apiextensionsv1.CustomResourceSubresourceScale{
		SpecReplicasPath: ".spec.size", StatusReplicasPath: ".status.size",
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range p.Columns() {
		fmt.Println(c.Name)
	}
	// Output:
	// Name
	// Desired
	// Available
	// Age
}
