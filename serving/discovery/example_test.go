package discovery_test

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/serving/discovery"
)

func cronTab() *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec.Group = "example.com"
	crd.Spec.Scope = apiextensionsv1.NamespaceScoped
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
		Plural: "crontabs", Kind: "CronTab", ShortNames: []string{"ct"}, Categories: []string{"all"},
	}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v1beta1", Served: true},
		{Name: "v1", Served: true, Storage: true, Subresources: &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
		}},
		{Name: "v2alpha1"},
	}
	return crd
}

func ExampleGroup() {
	group, ok := discovery.Group("example.com", cronTab())
	if !ok {
		fmt.Println("no definition publishes the group")
		return
	}
	fmt.Println("preferred:", group.PreferredVersion.Version)
	for _, v := range group.Versions {
		fmt.Println(v.GroupVersion)
	}
	// Output:
	// preferred: v1
	// example.com/v1
	// example.com/v1beta1
}

func ExampleGroups() {
	other := cronTab()
	other.Spec.Group = "another.example.com"
	for _, group := range discovery.Groups(cronTab(), other) {
		fmt.Println(group.Name)
	}
	// Output:
	// another.example.com
	// example.com
}

func ExampleResources() {
	list, ok := discovery.Resources("example.com", "v1", cronTab())
	if !ok {
		fmt.Println("no definition publishes the version")
		return
	}
	for _, r := range list.APIResources {
		fmt.Println(r.Name, r.Kind, r.ShortNames, r.Categories, r.Verbs)
	}
	// Output:
	// crontabs CronTab [ct] [all] [delete deletecollection get list patch create update watch]
	// crontabs/status CronTab [] [] [get patch update]
}

func ExampleStorageVersionHash() {
	fmt.Println(discovery.StorageVersionHash("example.com", "v1", "CronTab"))
	// Output:
	// bodr40kQYQo=
}
