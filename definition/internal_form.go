package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// An internalForm is a definition in the server's internal form. It shares memory with the
// definition.
type internalForm struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	common   internalVersion             // what all versions share; it has the name of the first version
	versions []internalVersion           // in their order, without what common has
	byName   map[string]*internalVersion // the first version of each name; nil if the versions share schema and subresources
	schemas  []*internalVersion          // common and the versions, if they have a schema

	// Whether a version has a schema, or subresources, of its own.
	schemasApart, subresourcesApart bool
}

type internalVersion struct {
	name         string
	declared     *apiextensionsv1.CustomResourceDefinitionVersion // nil in common
	schema       *apiextensionsv1.CustomResourceValidation
	subresources *apiextensionsv1.CustomResourceSubresources
	columns      []apiextensionsv1.CustomResourceColumnDefinition
	selectable   []apiextensionsv1.SelectableField
	facts        *facts           // of the schema
	at           *pathstack.Chain // the location of the schema

	limit    *errorlimit.Limit // for the errors of compile
	compiled bool              // node and errs are set
	node     *schema.Node
	errs     field.ErrorList
}

// compile returns the tree of the schema, or its structural errors. Only the first call compiles.
func (v *internalVersion) compile() (*schema.Node, field.ErrorList) {
	if !v.compiled {
		v.compiled, v.limit = true, v.limit.Separate()
		v.node, v.errs = schema.Compile(v.root(), v.at, schemaopt.WithoutAnnotations{}, v.limit)
	}
	return v.node, v.errs
}

// inconvertible returns the error for a schema that the server cannot convert, else nil.
func (v *internalVersion) inconvertible() *field.Error {
	if _, errs := v.compile(); len(errs) == 1 && isInconvertible(errs[0], v.at.Path()) {
		return errs[0]
	}
	return nil
}

var commonSchema = (*pathstack.Chain)(nil).Child("spec").Child("validation").Moved("/spec/versions/0/schema").Child("openAPIV3Schema")

// newInternalForm returns the internal form of a definition with defaults. limit bounds the
// errors of one schema.
func newInternalForm(crd *apiextensionsv1.CustomResourceDefinition, facts []facts, limit *errorlimit.Limit) *internalForm {
	s := &internalForm{crd: crd, versions: make([]internalVersion, 0, len(crd.Spec.Versions))}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		s.versions = append(s.versions, internalVersion{
			name:         v.Name,
			declared:     v,
			schema:       v.Schema,
			subresources: v.Subresources,
			columns:      v.AdditionalPrinterColumns,
			selectable:   v.SelectableFields,
			facts:        &facts[i],
			at:           facts[i].at,
			limit:        limit,
		})
	}
	if len(s.versions) > 0 {
		s.lift()
	}
	s.index()
	return s
}

func (s *internalForm) index() {
	if s.common.root() != nil {
		s.schemas = append(s.schemas, &s.common)
	}
	s.each(func(v *internalVersion) {
		if v.root() != nil {
			s.schemas = append(s.schemas, v)
		}
		s.schemasApart = s.schemasApart || v.schema != nil
		s.subresourcesApart = s.subresourcesApart || v.subresources != nil
	})
	if !s.schemasApart && !s.subresourcesApart {
		return
	}
	s.byName = make(map[string]*internalVersion, len(s.versions))
	s.each(func(v *internalVersion) {
		if s.byName[v.name] == nil {
			s.byName[v.name] = v
		}
	})
}

// lift moves what all versions share to common.
func (s *internalForm) lift() {
	first := s.versions[0]
	s.common.name = first.name
	if s.all(func(v *internalVersion) bool { return equality.Semantic.DeepEqual(v.subresources, first.subresources) }) {
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
		s.common.schema, s.common.facts, s.common.limit = first.schema, first.facts, first.limit
		s.common.at = commonSchema
		s.each(func(v *internalVersion) { v.schema = nil })
	}
}

func (s *internalForm) all(f func(*internalVersion) bool) bool {
	for i := range s.versions[1:] {
		if !f(&s.versions[i+1]) {
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

func (s *internalForm) any(f func(*internalVersion) bool) bool {
	return slices.ContainsFunc(s.schemas, f)
}

func (v *internalVersion) root() *apiextensionsv1.JSONSchemaProps {
	if v.schema == nil {
		return nil
	}
	return v.schema.OpenAPIV3Schema
}

// schemaOf returns the schema of the version with that name, and whether there is one. If the
// versions share a schema, every name gets it.
func (s *internalForm) schemaOf(name string) (*apiextensionsv1.CustomResourceValidation, bool) {
	if !s.schemasApart {
		return s.common.schema, true
	}
	if v := s.byName[name]; v != nil {
		return v.schema, true
	}
	return nil, false
}

func (s *internalForm) subresourcesOf(name string) *apiextensionsv1.CustomResourceSubresources {
	if !s.subresourcesApart {
		return s.common.subresources
	}
	if v := s.byName[name]; v != nil {
		return v.subresources
	}
	return nil
}

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
