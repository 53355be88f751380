package definition

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// TooLarge returns an error for each version whose schema is deeper or larger
// than package schema admits. A schema that was built by a program may contain
// itself; nothing else in this package may be asked about such a definition.
func TooLarge(crd *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	var errs field.ErrorList
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil {
			continue
		}
		left := schema.DefaultMaxNodes
		if within(v.Schema.OpenAPIV3Schema, 1, &left) {
			continue
		}
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		_, found := schema.Compile(v.Schema.OpenAPIV3Schema, schema.AtPath(path))
		errs = append(errs, found...)
	}
	return errs
}

// within reports whether s, at that depth, and all below are within the bounds
// of package schema, of whose nodes so many are left.
func within(s *apiextensionsv1.JSONSchemaProps, depth int, left *int) bool {
	if s == nil {
		return true
	}
	if *left--; *left < 0 || depth > schema.DefaultMaxDepth {
		return false
	}
	return children(s, func(child *apiextensionsv1.JSONSchemaProps) bool {
		return within(child, depth+1, left)
	})
}
