package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/interrupt"
)

// An internalForm is a definition in the server's internal form. What all versions share
// belongs to the definition as a whole. It refers to parts of the definition.
type internalForm struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	common   internalVersion             // what all versions share; its name is that of the first version
	watch    *interrupt.Watch            // ends work early; its results are then of no use
	versions []internalVersion           // in their order, without what is in common
	byName   map[string]*internalVersion // the first of each name

	// A version has a schema, or subresources, that not all versions share.
	schemasApart, subresourcesApart bool
}

// An internalVersion is one version of an [internalForm].
type internalVersion struct {
	name         string
	declared     *apiextensionsv1.CustomResourceDefinitionVersion // nil in common
	schema       *apiextensionsv1.CustomResourceValidation
	subresources *apiextensionsv1.CustomResourceSubresources
	columns      []apiextensionsv1.CustomResourceColumnDefinition
	selectable   []apiextensionsv1.SelectableField
	scan         *versionScan // of the schema, nil without one
}

// newInternalForm returns the internal form of a definition whose defaults are set. scans
// are the results for a definition with the same schemas.
func newInternalForm(crd *apiextensionsv1.CustomResourceDefinition, scans scanResult, watch *interrupt.Watch) *internalForm {
	s := &internalForm{crd: crd, watch: watch, versions: make([]internalVersion, 0, len(crd.Spec.Versions))}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		s.versions = append(s.versions, internalVersion{
			name:         v.Name,
			declared:     v,
			schema:       v.Schema,
			subresources: v.Subresources,
			columns:      v.AdditionalPrinterColumns,
			selectable:   v.SelectableFields,
			scan:         &scans[i],
		})
	}
	if len(s.versions) > 0 {
		s.lift()
	}
	s.index()
	return s
}

// index sets the fields by which versions are found.
func (s *internalForm) index() {
	s.byName = make(map[string]*internalVersion, len(s.versions))
	for i := range s.versions {
		v := &s.versions[i]
		if s.byName[v.name] == nil {
			s.byName[v.name] = v
		}
		s.schemasApart = s.schemasApart || v.schema != nil
		s.subresourcesApart = s.subresourcesApart || v.subresources != nil
	}
}

// lift moves what all versions share to common.
func (s *internalForm) lift() {
	first := s.versions[0]
	s.common.name = first.name
	if s.all(func(v *internalVersion) bool { return crdversion.SameSubresources(v.subresources, first.subresources) }) {
		s.common.subresources = first.subresources
		s.each(func(v *internalVersion) { v.subresources = nil })
	}
	if s.all(func(v *internalVersion) bool { return slices.Equal(v.columns, first.columns) }) {
		s.common.columns = first.columns
		s.each(func(v *internalVersion) { v.columns = nil })
	}
	if s.all(func(v *internalVersion) bool { return slices.Equal(v.selectable, first.selectable) }) {
		s.common.selectable = first.selectable
		s.each(func(v *internalVersion) { v.selectable = nil })
	}
	if s.all(func(v *internalVersion) bool { return sameSchema(v.schema, first.schema) }) {
		s.common.schema, s.common.scan = first.schema, first.scan
		s.each(func(v *internalVersion) { v.schema = nil })
	}
}

// all reports whether holds is true of all versions but the first.
func (s *internalForm) all(holds func(*internalVersion) bool) bool {
	for i := range s.versions[1:] {
		if s.watch.Poll() || !holds(&s.versions[i+1]) {
			return false
		}
	}
	return true
}

func (s *internalForm) each(do func(*internalVersion)) {
	for i := range s.versions {
		do(&s.versions[i])
	}
}

// preserving reports whether objects keep unknown fields whatever the schemas say.
func (s *internalForm) preserving() bool { return s.crd.Spec.PreserveUnknownFields }

// schemas returns the common schema or the schemas of the versions.
func (s *internalForm) schemas() []*apiextensionsv1.JSONSchemaProps {
	var out []*apiextensionsv1.JSONSchemaProps
	if root := s.common.root(); root != nil {
		out = append(out, root)
	}
	for i := range s.versions {
		if root := s.versions[i].root(); root != nil {
			out = append(out, root)
		}
	}
	return out
}

// root returns the schema of objects, nil if there is none.
func (v *internalVersion) root() *apiextensionsv1.JSONSchemaProps {
	if v.schema == nil {
		return nil
	}
	return v.schema.OpenAPIV3Schema
}

// schemaOf returns the schema of the version of that name, and reports whether there is
// such a version. A common schema belongs to any version, even one that does not exist.
func (s *internalForm) schemaOf(name string) (*apiextensionsv1.CustomResourceValidation, bool) {
	if !s.schemasApart {
		return s.common.schema, true
	}
	if v := s.byName[name]; v != nil {
		return v.schema, true
	}
	return nil, false
}

// subresourcesOf returns the subresources of the first version of that name.
func (s *internalForm) subresourcesOf(name string) *apiextensionsv1.CustomResourceSubresources {
	if !s.subresourcesApart {
		return s.common.subresources
	}
	if v := s.byName[name]; v != nil {
		return v.subresources
	}
	return nil
}

// anyStatus reports whether any version has the status subresource.
func (s *internalForm) anyStatus() bool {
	any := hasStatus(s.common.subresources)
	for i := range s.versions {
		any = any || hasStatus(s.versions[i].subresources)
	}
	return any
}

func hasStatus(s *apiextensionsv1.CustomResourceSubresources) bool {
	return s != nil && s.Status != nil
}

func sameSchema(a, b *apiextensionsv1.CustomResourceValidation) bool {
	return a == b || a != nil && b != nil && crdversion.SameSchema(a.OpenAPIV3Schema, b.OpenAPIV3Schema)
}
