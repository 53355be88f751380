package crdversion

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Storage returns the storage version, the first one if several are marked, and
// nil if none is or crd is nil.
func Storage(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	if crd == nil {
		return nil
	}
	for i := range crd.Spec.Versions {
		if crd.Spec.Versions[i].Storage {
			return &crd.Spec.Versions[i]
		}
	}
	return nil
}

// ByName returns the versions by their names, the first one of each name. It returns nil
// if crd is nil.
func ByName(crd *apiextensionsv1.CustomResourceDefinition) map[string]*apiextensionsv1.CustomResourceDefinitionVersion {
	if crd == nil {
		return nil
	}
	versions := make(map[string]*apiextensionsv1.CustomResourceDefinitionVersion, len(crd.Spec.Versions))
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if versions[v.Name] == nil {
			versions[v.Name] = v
		}
	}
	return versions
}
