package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// A internalForm is a definition in the form in which the server judges it.
type internalForm struct {
	CRD      *apiextensionsv1.CustomResourceDefinition
	Common   formVersion   // what all versions have in common; its Name is that of the first
	Versions []formVersion // in their order, without what is in Common
}

// A Version is one version of a [internalForm].
type formVersion struct {
	Name         string
	Declared     *apiextensionsv1.CustomResourceDefinitionVersion // nil in Common
	Schema       *apiextensionsv1.CustomResourceValidation
	Subresources *apiextensionsv1.CustomResourceSubresources
	Columns      []apiextensionsv1.CustomResourceColumnDefinition
	Selectable   []apiextensionsv1.SelectableField
	seen         *versionScan // of the schema
}

// New returns the shape of a definition whose defaults are set. What was seen is
// that of a definition with the same schemas.
func newInternalForm(crd *apiextensionsv1.CustomResourceDefinition, seen scanResult) *internalForm {
	s := &internalForm{CRD: crd, Versions: make([]formVersion, 0, len(crd.Spec.Versions))}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		s.Versions = append(s.Versions, formVersion{
			Name:         v.Name,
			Declared:     v,
			Schema:       v.Schema,
			Subresources: v.Subresources,
			Columns:      v.AdditionalPrinterColumns,
			Selectable:   v.SelectableFields,
			seen:         &seen[i],
		})
	}
	if len(s.Versions) > 0 {
		s.lift()
	}
	return s
}

// lift moves what all versions have in common to where it is for all of them.
func (s *internalForm) lift() {
	first := s.Versions[0]
	s.Common.Name = first.Name
	if s.all(func(v *formVersion) bool { return crdversion.SameSubresources(v.Subresources, first.Subresources) }) {
		s.Common.Subresources = first.Subresources
		s.each(func(v *formVersion) { v.Subresources = nil })
	}
	if s.all(func(v *formVersion) bool { return slices.Equal(v.Columns, first.Columns) }) {
		s.Common.Columns = first.Columns
		s.each(func(v *formVersion) { v.Columns = nil })
	}
	if s.all(func(v *formVersion) bool { return slices.Equal(v.Selectable, first.Selectable) }) {
		s.Common.Selectable = first.Selectable
		s.each(func(v *formVersion) { v.Selectable = nil })
	}
	if s.all(func(v *formVersion) bool { return sameSchema(v.Schema, first.Schema) }) {
		s.Common.Schema, s.Common.seen = first.Schema, first.seen
		s.each(func(v *formVersion) { v.Schema = nil })
	}
}

// all reports whether what holds for the first version, as it does when it is
// compared with itself, holds for the others.
func (s *internalForm) all(holds func(*formVersion) bool) bool {
	for i := range s.Versions[1:] {
		if !holds(&s.Versions[i+1]) {
			return false
		}
	}
	return true
}

func (s *internalForm) each(do func(*formVersion)) {
	for i := range s.Versions {
		do(&s.Versions[i])
	}
}

// preserving reports whether the definition keeps unknown fields of all
// objects.
func (s *internalForm) preserving() bool { return s.CRD.Spec.PreserveUnknownFields }

// schemas returns the schemas that there are: either the common one or those
// of the versions.
func (s *internalForm) schemas() []*apiextensionsv1.JSONSchemaProps {
	var out []*apiextensionsv1.JSONSchemaProps
	if root := s.Common.root(); root != nil {
		out = append(out, root)
	}
	for i := range s.Versions {
		if root := s.Versions[i].root(); root != nil {
			out = append(out, root)
		}
	}
	return out
}

// root returns the schema of objects, nil if there is none.
func (v *formVersion) root() *apiextensionsv1.JSONSchemaProps {
	if v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

// schemaOf returns the schema of the version of that name, and reports whether
// there is such a version. One that is common is that of any version, whether
// or not it exists.
func (s *internalForm) schemaOf(name string) (*apiextensionsv1.CustomResourceValidation, bool) {
	apart := false
	for i := range s.Versions {
		apart = apart || s.Versions[i].Schema != nil
	}
	if !apart {
		return s.Common.Schema, true
	}
	for i := range s.Versions {
		if s.Versions[i].Name == name {
			return s.Versions[i].Schema, true
		}
	}
	return nil, false
}

// subresourcesOf returns the subresources of the first version of that name.
func (s *internalForm) subresourcesOf(name string) *apiextensionsv1.CustomResourceSubresources {
	apart := false
	for i := range s.Versions {
		apart = apart || s.Versions[i].Subresources != nil
	}
	if !apart {
		return s.Common.Subresources
	}
	for i := range s.Versions {
		if s.Versions[i].Name == name {
			return s.Versions[i].Subresources
		}
	}
	return nil
}

// anyStatus reports whether any version has the status subresource.
func (s *internalForm) anyStatus() bool {
	any := hasStatus(s.Common.Subresources)
	for i := range s.Versions {
		any = any || hasStatus(s.Versions[i].Subresources)
	}
	return any
}

func hasStatus(s *apiextensionsv1.CustomResourceSubresources) bool {
	return s != nil && s.Status != nil
}

func sameSchema(a, b *apiextensionsv1.CustomResourceValidation) bool {
	return a == b || a != nil && b != nil && crdversion.SameSchema(a.OpenAPIV3Schema, b.OpenAPIV3Schema)
}
