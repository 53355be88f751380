package conversion_test

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/conversion"
)

// A definition without a conversion has the strategy None.
func Example() {
	crd := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group:    "example.com",
		Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "boxes", Kind: "Box"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}, {Name: "v1beta1"}},
	}}
	converter, err := conversion.New(crd)
	if err != nil {
		panic(err)
	}
	box := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1beta1", "kind": "Box", "metadata": map[string]any{"name": "a"}, "size": int64(5),
	}}
	converted, err := converter.Convert(context.Background(), []*unstructured.Unstructured{box}, "v1")
	if err != nil {
		panic(err)
	}
	fmt.Println(converted[0].Object)
	// Output:
	// map[apiVersion:example.com/v1 kind:Box metadata:map[name:a] size:5]
}
