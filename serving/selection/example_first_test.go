package selection_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/crdkit/crdkit/serving/selection"
)

func Example() {
	declared := []apiextensionsv1.SelectableField{{JSONPath: ".spec.color"}}
	fields, err := selection.New(declared, apiextensionsv1.NamespaceScoped)
	if err != nil {
		panic(err)
	}
	byField, err := fields.Parse("spec.color=blue") // ?fieldSelector=
	if err != nil {
		panic(err) // a bad request
	}
	for _, color := range []string{"blue", "red"} {
		obj := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"color": color}}}
		selected, err := fields.Matches(obj, labels.Everything(), byField)
		if err != nil {
			panic(err)
		}
		fmt.Println(color, selected)
	}
	// Output:
	// blue true
	// red false
}
