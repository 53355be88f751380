package table_test

import (
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/serving/table"
)

func Example() {
	printer, err := table.New([]apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "Size", Type: "integer", JSONPath: ".spec.size"},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
	})
	if err != nil {
		panic(err)
	}
	list := &unstructured.UnstructuredList{Items: []unstructured.Unstructured{{Object: map[string]any{
		"metadata": map[string]any{"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"},
		"spec":     map[string]any{"size": int64(3)},
	}}}}
	t := printer.List(list, time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC))
	for _, column := range t.ColumnDefinitions {
		fmt.Println(column.Name, column.Type)
	}
	for _, row := range t.Rows {
		fmt.Println(row.Cells...)
	}
	// Output:
	// Name string
	// Size integer
	// Age date
	// a 3 2d
}
