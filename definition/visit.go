package definition

import (
	"iter"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// anySchema reports whether holds is true of s or of any schema below it, under any
// keyword.
func anySchema(s *apiextensionsv1.JSONSchemaProps, holds func(*apiextensionsv1.JSONSchemaProps) bool) bool {
	for n := range everySchema(s) {
		if holds(n) {
			return true
		}
	}
	return false
}

// everySchema yields s and all schemas below it, properties in random order. The yielded
// pointer is valid only during the iteration.
func everySchema(s *apiextensionsv1.JSONSchemaProps) iter.Seq[*apiextensionsv1.JSONSchemaProps] {
	return func(yield func(*apiextensionsv1.JSONSchemaProps) bool) { visit(s, yield) }
}

func visit(s *apiextensionsv1.JSONSchemaProps, yield func(*apiextensionsv1.JSONSchemaProps) bool) bool {
	if s == nil {
		return true
	}
	return yield(s) && children(s, func(child *apiextensionsv1.JSONSchemaProps) bool { return visit(child, yield) })
}

// A schemaFunc visits a schema and reports whether to go on.
type schemaFunc func(*apiextensionsv1.JSONSchemaProps) bool

// children calls do for the schemas directly below s until it returns false. It returns the
// last result.
func children(s *apiextensionsv1.JSONSchemaProps, do schemaFunc) bool {
	if items := s.Items; items != nil && !(one(items.Schema, do) && list(items.JSONSchemas, do)) {
		return false
	}
	for _, nested := range [...][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		if !list(nested, do) {
			return false
		}
	}
	for _, named := range [...]map[string]apiextensionsv1.JSONSchemaProps{s.Properties, s.PatternProperties, s.Definitions} {
		if len(named) > 0 && !byName(named, do) {
			return false
		}
	}
	for _, either := range [...]*apiextensionsv1.JSONSchemaPropsOrBool{s.AdditionalProperties, s.AdditionalItems} {
		if either != nil && !one(either.Schema, do) {
			return false
		}
	}
	for _, d := range s.Dependencies {
		if !one(d.Schema, do) {
			return false
		}
	}
	return one(s.Not, do)
}

func one(s *apiextensionsv1.JSONSchemaProps, do schemaFunc) bool { return s == nil || do(s) }

func list(schemas []apiextensionsv1.JSONSchemaProps, do schemaFunc) bool {
	for i := range schemas {
		if !do(&schemas[i]) {
			return false
		}
	}
	return true
}

// byName declares its copy outside of the loop, so that it escapes once and not once for
// each schema.
func byName(named map[string]apiextensionsv1.JSONSchemaProps, do schemaFunc) bool {
	var s apiextensionsv1.JSONSchemaProps
	for _, s = range named {
		if !do(&s) {
			return false
		}
	}
	return true
}
