package schema

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Before anything recurses into a schema it is measured. A schema that was
// built by a program may contain itself, or reach one part by so many ways that
// no walk ends in time; both run into the bounds here and nowhere else.

type measurer struct {
	options
	nodes int
	odd   bool // there is something for [unsupported] to find
}

// measure returns an error if s is deeper or larger than allowed. It reports
// whether [unsupported] may have something against s.
func measure(s *apiextensionsv1.JSONSchemaProps, o options) (odd bool, err *field.Error) {
	m := measurer{options: o}
	err = m.visit(s, 1)
	return m.odd, err
}

func (m *measurer) visit(s *apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	if s == nil {
		return nil
	}
	if m.nodes++; m.nodes > m.maxNodes {
		return field.Invalid(m.path, field.OmitValueType{}, fmt.Sprintf("must not have more than %d schemas", m.maxNodes))
	}
	if depth > m.maxDepth {
		return field.Invalid(m.path, field.OmitValueType{}, fmt.Sprintf("must not be nested more than %d schemas deep", m.maxDepth))
	}
	if unsupportedKeyword(s, false) != "" || s.Items != nil && len(s.Items.JSONSchemas) > 0 || s.XPreserveUnknownFields != nil {
		m.odd = true
	}
	return m.below(s, depth+1)
}

func (m *measurer) below(s *apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	for _, list := range [...][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			if err := m.visit(&list[i], depth); err != nil {
				return err
			}
		}
	}
	for _, named := range [...]map[string]apiextensionsv1.JSONSchemaProps{s.Properties, s.PatternProperties, s.Definitions} {
		if err := m.byName(named, depth); err != nil {
			return err
		}
	}
	for _, child := range [...]*apiextensionsv1.JSONSchemaPropsOrBool{s.AdditionalProperties, s.AdditionalItems} {
		if child == nil {
			continue
		}
		if err := m.visit(child.Schema, depth); err != nil {
			return err
		}
	}
	for _, d := range s.Dependencies {
		if err := m.visit(d.Schema, depth); err != nil {
			return err
		}
	}
	if s.Items != nil {
		if err := m.visit(s.Items.Schema, depth); err != nil {
			return err
		}
		for i := range s.Items.JSONSchemas {
			if err := m.visit(&s.Items.JSONSchemas[i], depth); err != nil {
				return err
			}
		}
	}
	return m.visit(s.Not, depth)
}

func (m *measurer) byName(named map[string]apiextensionsv1.JSONSchemaProps, depth int) *field.Error {
	if len(named) == 0 {
		return nil
	}
	var p apiextensionsv1.JSONSchemaProps // see [structuralCheck.properties]
	for _, p = range named {
		if err := m.visit(&p, depth); err != nil {
			return err
		}
	}
	return nil
}
