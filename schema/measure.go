package schema

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A schema that a program built may contain itself, or contain one part so
// often that no walk ends in time. The walk over the structure calls
// [measurer.enter] for each schema before it goes below. enter also counts what
// is below a schema without being a part of the structure. So both kinds of
// schemas exceed the bounds here, before any other code walks them.

type measurer struct {
	options
	nodes           int
	unsupportedSeen bool // unsupported returns a text for the schema
}

// enter returns an error if s, at this depth, makes the schema deeper or larger
// than allowed, and if the context has ended.
func (m *measurer) enter(s *apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	if m.watch.Ended() {
		return field.InternalError(m.at.Path(), m.watch.Err())
	}
	if m.nodes++; m.nodes > m.maxNodes {
		return field.Invalid(m.at.Path(), field.OmitValueType{}, fmt.Sprintf("must not have more than %d schemas", m.maxNodes))
	}
	if depth > m.maxDepth {
		return field.Invalid(m.at.Path(), field.OmitValueType{}, fmt.Sprintf("must not be nested more than %d schemas deep", m.maxDepth))
	}
	if unsupportedKeyword(s, false) != "" || s.Items != nil && len(s.Items.JSONSchemas) > 0 || s.XPreserveUnknownFields != nil && !*s.XPreserveUnknownFields {
		m.unsupportedSeen = true
		return m.visitUnstructural(s, depth+1)
	}
	if hasJunctors(s) {
		return m.nested(s, depth+1)
	}
	return nil
}

// visit enters s and all schemas below it. A nil s has none.
func (m *measurer) visit(s *apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	if s == nil {
		return nil
	}
	if err := m.enter(s, depth); err != nil {
		return err
	}
	depth++
	if err := m.byName(s.Properties, depth); err != nil {
		return err
	}
	if s.AdditionalProperties != nil {
		if err := m.visit(s.AdditionalProperties.Schema, depth); err != nil {
			return err
		}
	}
	if s.Items == nil {
		return nil
	}
	return m.visit(s.Items.Schema, depth)
}

// nested visits the schemas directly below allOf, anyOf, oneOf and not.
func (m *measurer) nested(s *apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	for _, list := range [...][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		if err := m.list(list, depth); err != nil {
			return err
		}
	}
	return m.visit(s.Not, depth)
}

// visitUnstructural visits the schemas below s that are not structure.
func (m *measurer) visitUnstructural(s *apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	if err := m.nested(s, depth); err != nil {
		return err
	}
	for _, named := range [...]map[string]apiextensionsv1.JSONSchemaProps{s.PatternProperties, s.Definitions} {
		if err := m.byName(named, depth); err != nil {
			return err
		}
	}
	if s.AdditionalItems != nil {
		if err := m.visit(s.AdditionalItems.Schema, depth); err != nil {
			return err
		}
	}
	for _, d := range s.Dependencies {
		if err := m.visit(d.Schema, depth); err != nil {
			return err
		}
	}
	if s.Items == nil {
		return nil
	}
	return m.list(s.Items.JSONSchemas, depth)
}

func (m *measurer) list(list []apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	for i := range list {
		if err := m.visit(&list[i], depth); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurer) byName(named map[string]apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	if len(named) == 0 {
		return nil
	}
	var p apiextensionsv1.JSONSchemaProps // see [structuralCheck.nestedProperties]
	for _, p = range named {
		if err := m.visit(&p, depth); err != nil {
			return err
		}
	}
	return nil
}
