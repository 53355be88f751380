package discovery_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/discovery"
)

func Example() {
	crd := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group:    "example.com",
		Scope:    apiextensionsv1.NamespaceScoped,
		Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "boxes", Kind: "Box"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
	}}
	for _, group := range discovery.Groups(crd) { // GET /apis
		fmt.Println(group.Name, group.PreferredVersion.Version)
	}
	list, ok := discovery.Resources("example.com", "v1", crd) // GET /apis/example.com/v1
	if !ok {
		panic("no definition serves the version")
	}
	for _, r := range list.APIResources {
		fmt.Println(r.Name, r.Kind, r.Namespaced)
	}
	// Output:
	// example.com v1
	// boxes Box true
}
