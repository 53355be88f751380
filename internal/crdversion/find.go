package crdversion

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Storage returns the storage version, the first one if several are marked, and
// nil if none is or crd is nil.
func Storage(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	return find(crd, func(v *apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
}

// Named returns the version of that name, nil if there is none or crd is nil.
func Named(crd *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	return find(crd, func(v *apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
}

func find(crd *apiextensionsv1.CustomResourceDefinition, is func(*apiextensionsv1.CustomResourceDefinitionVersion) bool) *apiextensionsv1.CustomResourceDefinitionVersion {
	if crd == nil {
		return nil
	}
	for i := range crd.Spec.Versions {
		if is(&crd.Spec.Versions[i]) {
			return &crd.Spec.Versions[i]
		}
	}
	return nil
}
