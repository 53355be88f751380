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
