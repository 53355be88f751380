package schema

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// completeness checks that the elements and fields that a nested schema
// constrains are declared outside of nested schemas. It walks a nested schema
// and the structural schema for the same values in parallel.
//
// The server starts this check only at the root. So a nested schema below a
// field may constrain undeclared fields. additionalProperties does not count as
// a declaration.
type completeness struct {
	structural pathstack.SchemaStack // of the structural schema
	nested     pathstack.SchemaStack // of the nested schema
	errs       *errorlimit.List
}

// junctors checks the schemas nested directly below v. s is the structural
// schema of the same values.
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

// values checks a nested schema v. s is the structural schema of the same
// values; a nil s is an error at the current path.
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

// properties checks the properties of v. It declares its copies outside of the
// loop as [compiler.properties] does.
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
	p.errs.AddAt(p.structural.Here(), field.Required(p.structural.Path(), "because it is defined in "+nested.String()))
}
