package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/pathstack"
)

// The server has more rules for schemas than structural schemas have. They apply to
// every schema under every keyword, except in patternProperties and additionalItems,
// which are not allowed.

// A walk visits the schemas of one version.
type walk struct {
	*checker
	ruled bool // rules will be checked
	// invalid are the field paths of schemas with rules that have errors at or below
	// the schema.
	invalid map[string]bool
}

// inherited is what a schema inherits from the schemas around it.
type inherited struct {
	root     bool   // the schema is that of whole objects
	spine    bool   // outside of allOf, anyOf, oneOf, not and keywords that are not allowed
	meta     bool   // inside of the metadata, kind or apiVersion of a resource
	defaults bool   // defaults are allowed
	reason   string // why defaults are not allowed
	topLevel string // the name of the field that is the reason, "" for none
}

func (p inherited) forbidding(reason string) inherited {
	p.defaults, p.reason, p.topLevel = false, reason, ""
	return p
}

func (w *walk) schema(s *apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	if s == nil || w.cfg.watch.Ended() {
		return
	}
	before := w.errs.Added()
	root := p.root
	p.root = false
	w.alone(s, p, at)
	w.properties(s, p, root, at)
	w.nested(s, p, at)
	w.items(s, p, at)
	if w.ruled && p.spine && len(s.XValidations) > 0 && w.errs.Added() > before {
		if w.invalid == nil {
			w.invalid = map[string]bool{}
		}
		w.invalid[at.Path().String()] = true
	}
}

// alone checks a schema without those below it.
func (w *walk) alone(s *apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	w.keywords(s, p, at)
	if a := s.AdditionalProperties; a != nil && len(s.Properties) != 0 && (!a.Allows || a.Schema != nil) {
		w.add(field.Forbidden(at.Child("additionalProperties").Path(), "additionalProperties and properties are mutual exclusive"))
	}
	w.listsAndMaps(s, at)
	rules := ruleWalk{walk: w, schema: s}
	for i := range s.XValidations {
		rules.check(&s.XValidations[i], at.Child("x-kubernetes-validations").Index(i))
	}
}

func typeNames() []string {
	return []string{"array", "boolean", "integer", "number", "object", "string"}
}

func (w *walk) keywords(s *apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	if w.opts.knownTypes && s.Type != "" && !slices.Contains(typeNames(), s.Type) {
		w.add(field.NotSupported(at.Child("type").Path(), s.Type, typeNames()))
	}
	if s.Default != nil && !p.defaults {
		w.add(field.Forbidden(at.Child("default").Path(), "must not be set"+p.reason+p.topLevel))
	}
	forbidden := func(found bool, keyword string) {
		if found {
			w.add(field.Forbidden(at.Child(keyword).Path(), keyword+" is not supported"))
		}
	}
	forbidden(s.ID != "", "id")
	forbidden(s.AdditionalItems != nil, "additionalItems")
	forbidden(len(s.PatternProperties) != 0, "patternProperties")
	forbidden(len(s.Definitions) != 0, "definitions")
	forbidden(s.Dependencies != nil, "dependencies")
	forbidden(s.Ref != nil, "$ref")
	if s.Type == "null" {
		w.add(field.Forbidden(at.Child("type").Path(), "type cannot be set to null, use nullable as an alternative"))
	}
	if s.Items != nil && len(s.Items.JSONSchemas) != 0 {
		w.add(field.Forbidden(at.Child("items").Path(), "items must be a schema object and not an array"))
	}
	if p.meta && s.XEmbeddedResource {
		w.add(field.Forbidden(at.Child("x-kubernetes-embedded-resource").Path(), "must not be used inside of resource meta"))
	}
	if s.UniqueItems {
		w.add(field.Forbidden(at.Child("uniqueItems").Path(), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	if x := s.XPreserveUnknownFields; x != nil && !*x {
		w.add(field.Invalid(at.Child("x-kubernetes-preserve-unknown-fields").Path(), *x, "must be true or undefined"))
	}
}

func isMeta(name string) bool { return name == "metadata" || name == "kind" || name == "apiVersion" }

// properties visits the properties and the additionalProperties of a schema.
func (w *walk) properties(s *apiextensionsv1.JSONSchemaProps, p inherited, root bool, at *pathstack.Chain) {
	if a := s.AdditionalProperties; a != nil {
		below := p
		if p.meta {
			below = p.forbidding(" inside additionalProperties applying to object metadata")
		}
		w.schema(a.Schema, below, at.Child("additionalProperties"))
	}
	if len(s.Properties) == 0 {
		return
	}
	var name string
	var property apiextensionsv1.JSONSchemaProps // see [byName]
	for name, property = range s.Properties {
		below := p
		if (root || s.XEmbeddedResource) && isMeta(name) {
			below.meta = true
			if root {
				below = below.forbidding(" in top-level ")
				below.topLevel = name
			}
		}
		w.named("properties", name, &property, below, at)
	}
}

// nested visits schemas that are not part of the structure.
func (w *walk) nested(s *apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	p.spine = false
	if s.Not != nil {
		w.schema(s.Not, p, at.Child("not"))
	}
	w.list("allOf", s.AllOf, p, at)
	w.list("oneOf", s.OneOf, p, at)
	w.list("anyOf", s.AnyOf, p, at)
	for name, definition := range s.Definitions {
		w.named("definitions", name, &definition, p, at)
	}
	for name, dependency := range s.Dependencies {
		w.named("dependencies", name, dependency.Schema, p, at)
	}
}

func (w *walk) list(keyword string, schemas []apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	for i := range schemas {
		w.element(keyword, i, &schemas[i], p, at)
	}
}

// named visits one of the named schemas of a keyword. The loops call named and element,
// because the compiler puts what a loop hands to a recursive function on the heap.
func (w *walk) named(keyword, name string, s *apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	w.schema(s, p, at.Child(keyword).Key(name))
}

// element visits one of the listed schemas of a keyword.
func (w *walk) element(keyword string, i int, s *apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	w.schema(s, p, at.Child(keyword).Index(i))
}

func (w *walk) items(s *apiextensionsv1.JSONSchemaProps, p inherited, at *pathstack.Chain) {
	if s.Items == nil {
		return
	}
	if s.Items.Schema != nil {
		w.schema(s.Items.Schema, p, at.Child("items"))
	}
	w.list("items", s.Items.JSONSchemas, p, at)
}
