// Package crdversion holds what several packages do with one version of a
// CustomResourceDefinition: compile its schema as kube-apiserver serves it, and
// compare it with the schema of another version.
//
//	for i := range crd.Spec.Versions {
//		node, errs := crdversion.Compile(crd, i)
//		...
//	}
//
// It is the one owner of the step from a definition to the schema tree of a
// version. The root package serves objects with the tree; package definition
// judges the definition with its parts.
//
// All functions may be called from several goroutines. They change nothing that
// they are given.
package crdversion

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// Schema returns the schema of objects of a version, nil if the version has none.
func Schema(v *apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.JSONSchemaProps {
	if v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

// SchemaPath returns the field path of the schema of version i.
func SchemaPath(i int) *field.Path {
	return field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
}

// Compile returns the schema tree of version i as kube-apiserver serves it, with
// pruned defaults. The tree is nil if the version has no schema. The schema need
// not be structural if the definition has preserveUnknownFields: true; its defaults
// are not pruned then. The errors name the schema by [SchemaPath].
// The options are for the schema.
func Compile(crd *apiextensionsv1.CustomResourceDefinition, i int, opts ...schema.Option) (*schema.Node, field.ErrorList) {
	props := Schema(&crd.Spec.Versions[i])
	if props == nil {
		return nil, nil
	}
	opts = append(slices.Clip(opts), schema.AtPath(SchemaPath(i)))
	if crd.Spec.PreserveUnknownFields {
		opts = append(opts, schema.Unstructured())
	}
	node, errs := schema.Compile(props, opts...)
	if len(errs) > 0 {
		return nil, errs
	}
	if !crd.Spec.PreserveUnknownFields {
		node = PruneDefaults(node)
	}
	return node, nil
}

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
