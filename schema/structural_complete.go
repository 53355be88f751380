package schema

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// completeness checks that the elements and fields a nested schema narrows
// down are declared outside of nested schemas. It follows a nested schema and
// the structural schema for the same values side by side.
//
// The server starts this at the root and nowhere else. A nested schema below a
// field may therefore narrow down fields that nobody declares. Neither does
// additionalProperties count as declaration.
type completeness struct {
	base       *field.Path    // of the root
	structural structuralPath // of the schema that declares
	nested     structuralPath // of the schema that narrows down
	errs       field.ErrorList
}

// compileJunctors checks what is nested directly below v, which is about the values
// that s declares.
func (p *completeness) junctors(v, s *apiextensionsv1.JSONSchemaProps) {
	p.junctor("allOf", v.AllOf, s)
	p.junctor("anyOf", v.AnyOf, s)
	p.junctor("oneOf", v.OneOf, s)
	if v.Not != nil {
		p.nested.push("not")
		p.values(v.Not, s)
		p.nested.pop()
	}
}

func (p *completeness) junctor(keyword string, nested []apiextensionsv1.JSONSchemaProps, s *apiextensionsv1.JSONSchemaProps) {
	for i := range nested {
		p.nested.pushIndex(keyword, i)
		p.values(&nested[i], s)
		p.nested.pop()
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
		p.structural.push("items")
		p.nested.push("items")
		p.values(items, itemsOf(s))
		p.nested.pop()
		p.structural.pop()
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
		p.structural.pushKey("properties", name)
		p.nested.pushKey("properties", name)
		var ok bool
		if declared, ok = s.Properties[name]; ok {
			p.values(&property, &declared)
		} else {
			p.missing()
		}
		p.nested.pop()
		p.structural.pop()
	}
}

func (p *completeness) missing() {
	nested := p.nested.path(p.base)
	p.errs = append(p.errs, field.Required(p.structural.path(p.base), "because it is defined in "+nested.String()))
}
