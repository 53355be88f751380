package schema

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/pathstack"
)

// completeness checks that the elements and fields a nested schema narrows
// down are declared outside of nested schemas. It follows a nested schema and
// the structural schema for the same values side by side.
//
// The server starts this at the root and nowhere else. A nested schema below a
// field may therefore narrow down fields that nobody declares. Neither does
// additionalProperties count as declaration.
type completeness struct {
	structural pathstack.SchemaStack // of the schema that declares
	nested     pathstack.SchemaStack // of the schema that narrows down
	errs       field.ErrorList
}

// compileJunctors checks what is nested directly below v, which is about the values
// that s declares.
func (p *completeness) junctors(v, s *apiextensionsv1.JSONSchemaProps) {
	p.junctor("allOf", v.AllOf, s)
	p.junctor("anyOf", v.AnyOf, s)
	p.junctor("oneOf", v.OneOf, s)
	if v.Not != nil {
		p.nested.Push("not")
		p.values(v.Not, s)
		p.nested.Pop()
	}
}

func (p *completeness) junctor(keyword string, nested []apiextensionsv1.JSONSchemaProps, s *apiextensionsv1.JSONSchemaProps) {
	for i := range nested {
		p.nested.PushIndex(keyword, i)
		p.values(&nested[i], s)
		p.nested.Pop()
	}
}

// values checks a nested schema v for the values that s declares. It reports
// the current place if s is nil.
func (p *completeness) values(v, s *apiextensionsv1.JSONSchemaProps) {
	if s == nil {
		p.missing()
		return
	}
	p.junctors(v, s)
	if items := itemsOf(v); items != nil {
		p.structural.Push("items")
		p.nested.Push("items")
		p.values(items, itemsOf(s))
		p.nested.Pop()
		p.structural.Pop()
	}
	p.properties(v, s)
}

// properties keeps its copies as [structuralCheck.nestedProperties] does.
func (p *completeness) properties(v, s *apiextensionsv1.JSONSchemaProps) {
	if len(v.Properties) == 0 {
		return
	}
	var name string
	var property, declared apiextensionsv1.JSONSchemaProps
	for name, property = range v.Properties {
		p.structural.PushKey("properties", name)
		p.nested.PushKey("properties", name)
		var ok bool
		if declared, ok = s.Properties[name]; ok {
			p.values(&property, &declared)
		} else {
			p.missing()
		}
		p.nested.Pop()
		p.structural.Pop()
	}
}

func (p *completeness) missing() {
	nested := p.nested.Path()
	p.errs = append(p.errs, field.Required(p.structural.Path(), "because it is defined in "+nested.String()))
}
