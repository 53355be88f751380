package schema

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/errorlimit"
)

// IsStructural reports whether [Compile] accepts props with the same options. It makes no
// node, so that it takes a fraction of the time and of the memory of Compile if it does. The
// options that only change a node or the text of an error have no effect.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
func IsStructural(props *apiextensionsv1.JSONSchemaProps, opts ...Option) bool {
	o := optionsOf(opts)
	if !o.unstructured && fastStructural(props, o) {
		return true
	}
	_, errs := Compile(props, append(opts[:len(opts):len(opts)], WithoutAnnotations(), errorlimit.New(1))...)
	return len(errs) == 0
}

// fastStructural is the fast implementation of the check of [Compile]. False means that
// Compile must decide. It applies the same rules without a path, because a broken rule
// makes it decline. [TestIsStructural] compares the two.
func fastStructural(props *apiextensionsv1.JSONSchemaProps, o options) bool {
	if props == nil {
		return true
	}
	c := fastCheck{measurer: measurer{options: o}, check: structuralCheck{errs: errorlimit.List{Watch: o.watch}}}
	return c.visit(props, 1, levelRoot) && len(c.check.finish(props)) == 0
}

// A fastCheck is the state of [fastStructural].
type fastCheck struct {
	measurer measurer
	check    structuralCheck // of which only the number of errors counts
}

// visit reports whether nothing is wrong with s, a schema of the structure at that depth, and
// all schemas below it.
func (c *fastCheck) visit(s *apiextensionsv1.JSONSchemaProps, depth int, level structuralLevel) bool {
	if c.measurer.enter(s, depth) != nil || c.measurer.unsupportedSeen {
		return false
	}
	if c.check.structure(s, level); c.check.errs.Added() > 0 || !isLiteral(s.Default) || !c.literals(s) {
		return false
	}
	depth++
	if s.Items != nil && s.Items.Schema != nil && !c.visit(s.Items.Schema, depth, levelItem) {
		return false
	}
	if len(s.Properties) > 0 && !c.properties(s, depth) {
		return false
	}
	a := s.AdditionalProperties
	return a == nil || a.Schema == nil || c.visit(a.Schema, depth, levelField)
}

// properties visits the properties of s. See [structuralCheck.nestedProperties] for the copy.
func (c *fastCheck) properties(s *apiextensionsv1.JSONSchemaProps, depth int) bool {
	var property apiextensionsv1.JSONSchemaProps
	for _, property = range s.Properties {
		if !c.visit(&property, depth, levelField) {
			return false
		}
	}
	return true
}

// literals reports whether the enums of s and of the schemas nested in it are certainly JSON.
func (c *fastCheck) literals(s *apiextensionsv1.JSONSchemaProps) bool {
	for i := range s.Enum {
		if !isLiteral(&s.Enum[i]) {
			return false
		}
	}
	return !hasJunctors(s) || c.nestedLiterals(s.AllOf) && c.nestedLiterals(s.AnyOf) && c.nestedLiterals(s.OneOf) && c.nested(s.Not)
}

func (c *fastCheck) nestedLiterals(list []apiextensionsv1.JSONSchemaProps) bool {
	for i := range list {
		if !c.nested(&list[i]) {
			return false
		}
	}
	return true
}

// nested is literals for a nested schema, and for what it says about elements and fields.
func (c *fastCheck) nested(s *apiextensionsv1.JSONSchemaProps) bool {
	if s == nil {
		return true
	}
	if c.measurer.watch.Ended() || !c.literals(s) || !c.nested(itemsOf(s)) {
		return false
	}
	if a := s.AdditionalProperties; a != nil && !c.nested(a.Schema) {
		return false
	}
	if len(s.Properties) == 0 {
		return true
	}
	var property apiextensionsv1.JSONSchemaProps // see [structuralCheck.nestedProperties]
	for _, property = range s.Properties {
		if !c.nested(&property) {
			return false
		}
	}
	return true
}
