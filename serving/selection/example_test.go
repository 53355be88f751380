package selection_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crdkit/crdkit/serving/selection"
)

// selectable is a value of spec.versions[*].selectableFields.
var selectable = []apiextensionsv1.SelectableField{{JSONPath: ".spec.color"}, {JSONPath: ".spec.size"}}

func shirt(color string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "stable.example.com/v1",
		"kind":       "Shirt",
		"metadata":   map[string]any{"name": "example", "namespace": "default"},
		"spec":       map[string]any{"color": color, "size": size},
	}}
}

func ExampleNew() {
	f, err := selection.New(selectable, apiextensionsv1.NamespaceScoped)
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := f.Set(shirt("blue", 3))
	fmt.Println(set, err)
	// Output:
	// metadata.name=example,metadata.namespace=default,spec.color=blue,spec.size=3 <nil>
}

func ExampleFields_Parse() {
	f, err := selection.New(selectable, apiextensionsv1.NamespaceScoped)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = f.Parse("spec.fabric=silk")
	fmt.Println(err)
	_, err = f.Parse("spec.color")
	fmt.Println(err)
	// Output:
	// field label not supported: spec.fabric
	// invalid selector: 'spec.color'; can't understand 'spec.color'
}

func ExampleFields_Matches() {
	f, err := selection.New(selectable, apiextensionsv1.NamespaceScoped)
	if err != nil {
		fmt.Println(err)
		return
	}
	blue, err := f.Parse("spec.color=blue,spec.size!=2")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, obj := range []*unstructured.Unstructured{shirt("blue", 3), shirt("blue", 2), shirt("green", 3)} {
		fmt.Println(f.Matches(obj, labels.Everything(), blue))
	}
	// Output:
	// true <nil>
	// false <nil>
	// false <nil>
}
