package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/schema"
)

// A scanResult has the results of the scan of each version, in their order.
type scanResult []versionScan

type versionScan struct {
	formats []string // that the server ignores, one for each use
	sets    []string // warnings about sets, each once
	simple  bool     // there are no rules, and no default needs the validator
	// faultless: the strictest [walk] finds no errors, if schemas may have defaults.
	faultless bool
}

// scan visits all schemas of a definition once. It returns an error for each version whose
// schema is deeper or larger than package schema admits; a schema that a program built may
// contain itself. Nothing else in this package accepts such a definition.
func scan(crd *apiextensionsv1.CustomResourceDefinition, defaults *fastDefaults, watch *interrupt.Watch) (scanResult, field.ErrorList) {
	var errs field.ErrorList
	result := make(scanResult, len(crd.Spec.Versions))
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if v.Schema == nil {
			continue
		}
		result[i].simple, result[i].faultless = true, true
		s := scanner{left: schema.DefaultMaxNodes, versionScan: &result[i], defaults: defaults, watch: watch}
		s.trial = walk{checker: &checker{opts: createStrictness()}, ruled: true}
		if s.visit(v.Schema.OpenAPIV3Schema, 1) {
			continue
		}
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		_, found := schema.Compile(v.Schema.OpenAPIV3Schema, schema.AtPath(path), watch)
		errs = append(errs, found...)
	}
	return result, errs
}

type scanner struct {
	*versionScan
	left  int // how many more schemas package schema admits
	meta  int // how many properties around this one may be metadata, kind or apiVersion of a resource
	watch *interrupt.Watch

	defaults *fastDefaults
	trial    walk
}

// visit reports whether s, at that depth, and all schemas below are within the bounds of
// package schema. If the context has ended it reports false. It repeats the loop of
// [children], because calls through a function value would take longer than the rest of the
// scan.
func (v *scanner) visit(s *apiextensionsv1.JSONSchemaProps, depth int) bool {
	if s == nil {
		return true
	}
	if v.left--; v.watch.Ended() || v.left < 0 || depth > schema.DefaultMaxDepth {
		return false
	}
	v.note(s, depth == 1)
	if v.faultless {
		v.try(s)
	}
	depth++
	if s.Items != nil && !(v.visit(s.Items.Schema, depth) && v.list(s.Items.JSONSchemas, depth)) ||
		!v.list(s.AllOf, depth) || !v.list(s.AnyOf, depth) || !v.list(s.OneOf, depth) ||
		!v.named(s.Properties, depth) || !v.named(s.PatternProperties, depth) || !v.named(s.Definitions, depth) {
		return false
	}
	for _, either := range [...]*apiextensionsv1.JSONSchemaPropsOrBool{s.AdditionalProperties, s.AdditionalItems} {
		if either != nil && !v.visit(either.Schema, depth) {
			return false
		}
	}
	for _, d := range s.Dependencies {
		if !v.visit(d.Schema, depth) {
			return false
		}
	}
	return v.visit(s.Not, depth)
}

func (v *scanner) list(schemas []apiextensionsv1.JSONSchemaProps, depth int) bool {
	for i := range schemas {
		if !v.visit(&schemas[i], depth) {
			return false
		}
	}
	return true
}

func (v *scanner) named(named map[string]apiextensionsv1.JSONSchemaProps, depth int) bool {
	if len(named) == 0 {
		return true
	}
	var name string
	var s apiextensionsv1.JSONSchemaProps // see [byName]
	for name, s = range named {
		if isMeta(name) {
			v.meta++
		}
		if !v.visit(&s, depth) {
			return false
		}
		if isMeta(name) {
			v.meta--
		}
	}
	return true
}

// note records the format and the set warning of a schema, and that it is not simple. The
// defaults of whole objects and those in metadata have rules of their own.
func (v *scanner) note(s *apiextensionsv1.JSONSchemaProps, root bool) {
	if len(s.XValidations) > 0 || v.simple && s.Default != nil && (root || v.meta > 0 || !v.defaults.valid(s)) {
		v.simple = false
	}
	if s.Format != "" && !format.Supported(s.Type, s.Format, format.DefaultMinor) {
		v.formats = append(v.formats, s.Format)
	}
	if text := setWarning(s); text != "" && !slices.Contains(v.sets, text) {
		v.sets = append(v.sets, text)
	}
}

// try applies the rules of [walk] to a schema. It takes a property for one of a resource if
// it has such a name.
func (v *scanner) try(s *apiextensionsv1.JSONSchemaProps) {
	v.trial.alone(s, inherited{meta: v.meta > 0, defaults: v.meta == 0}, nil)
	v.faultless = v.trial.errs.Added() == 0
}
