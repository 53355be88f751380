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
	at      pathstack.SchemaStack
}

// inherited is what a schema inherits from the schemas around it.
type inherited struct {
	root     bool   // the schema is that of whole objects
	spine    bool   // outside of allOf, anyOf, oneOf, not and keywords that are not allowed
	meta     bool   // inside of the metadata, kind or apiVersion of a resource
	defaults bool   // defaults are allowed
	reason   string // why defaults are not allowed
}

func (p inherited) forbidding(reason string) inherited {
	p.defaults, p.reason = false, reason
	return p
}

func (w *walk) schema(s *apiextensionsv1.JSONSchemaProps, p inherited) {
	if s == nil || w.cfg.watch.Ended() {
		return
	}
	before := w.errs.Added()
	root := p.root
	p.root = false
	w.keywords(s, p)
	w.properties(s, p, root)
	w.nested(s, p)
	w.items(s, p)
	w.listsAndMaps(s, &w.at)
	rules := ruleWalk{walk: w, schema: s}
	for i := range s.XValidations {
		w.at.PushIndex("x-kubernetes-validations", i)
		rules.check(&s.XValidations[i])
		w.at.Pop()
	}
	if w.ruled && p.spine && len(s.XValidations) > 0 && w.errs.Added() > before {
		if w.invalid == nil {
			w.invalid = map[string]bool{}
		}
		w.invalid[w.at.Path().String()] = true
	}
}

func typeNames() []string {
	return []string{"array", "boolean", "integer", "number", "object", "string"}
}

func (w *walk) keywords(s *apiextensionsv1.JSONSchemaProps, p inherited) {
	if w.opts.knownTypes && s.Type != "" && !slices.Contains(typeNames(), s.Type) {
		w.add(field.NotSupported(w.at.Path().Child("type"), s.Type, typeNames()))
	}
	if s.Default != nil && !p.defaults {
		w.add(field.Forbidden(w.at.Path().Child("default"), "must not be set"+p.reason))
	}
	forbidden := func(found bool, keyword string) {
		if found {
			w.add(field.Forbidden(w.at.Path().Child(keyword), keyword+" is not supported"))
		}
	}
	forbidden(s.ID != "", "id")
	forbidden(s.AdditionalItems != nil, "additionalItems")
	forbidden(len(s.PatternProperties) != 0, "patternProperties")
	forbidden(len(s.Definitions) != 0, "definitions")
	forbidden(s.Dependencies != nil, "dependencies")
	forbidden(s.Ref != nil, "$ref")
	if s.Type == "null" {
		w.add(field.Forbidden(w.at.Path().Child("type"), "type cannot be set to null, use nullable as an alternative"))
	}
	if s.Items != nil && len(s.Items.JSONSchemas) != 0 {
		w.add(field.Forbidden(w.at.Path().Child("items"), "items must be a schema object and not an array"))
	}
	if p.meta && s.XEmbeddedResource {
		w.add(field.Forbidden(w.at.Path().Child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta"))
	}
	if s.UniqueItems {
		w.add(field.Forbidden(w.at.Path().Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	if x := s.XPreserveUnknownFields; x != nil && !*x {
		w.add(field.Invalid(w.at.Path().Child("x-kubernetes-preserve-unknown-fields"), *x, "must be true or undefined"))
	}
}

func isMeta(name string) bool { return name == "metadata" || name == "kind" || name == "apiVersion" }

// properties checks that a schema has either properties or additionalProperties, and visits
// both.
func (w *walk) properties(s *apiextensionsv1.JSONSchemaProps, p inherited, root bool) {
	if a := s.AdditionalProperties; a != nil {
		if len(s.Properties) != 0 && (!a.Allows || a.Schema != nil) {
			w.add(field.Forbidden(w.at.Path().Child("additionalProperties"), "additionalProperties and properties are mutual exclusive"))
		}
		below := p
		if p.meta {
			below = p.forbidding(" inside additionalProperties applying to object metadata")
		}
		w.at.Push("additionalProperties")
		w.schema(a.Schema, below)
		w.at.Pop()
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
				below = below.forbidding(" in top-level " + name)
			}
		}
		w.at.PushKey("properties", name)
		w.schema(&property, below)
		w.at.Pop()
	}
}

// nested visits schemas that are not part of the structure.
func (w *walk) nested(s *apiextensionsv1.JSONSchemaProps, p inherited) {
	p.spine = false
	if s.Not != nil {
		w.at.Push("not")
		w.schema(s.Not, p)
		w.at.Pop()
	}
	w.list("allOf", s.AllOf, p)
	w.list("oneOf", s.OneOf, p)
	w.list("anyOf", s.AnyOf, p)
	for name, definition := range s.Definitions {
		w.at.PushKey("definitions", name)
		w.schema(&definition, p)
		w.at.Pop()
	}
	for name, dependency := range s.Dependencies {
		w.at.PushKey("dependencies", name)
		w.schema(dependency.Schema, p)
		w.at.Pop()
	}
}

func (w *walk) list(keyword string, schemas []apiextensionsv1.JSONSchemaProps, p inherited) {
	for i := range schemas {
		w.at.PushIndex(keyword, i)
		w.schema(&schemas[i], p)
		w.at.Pop()
	}
}

func (w *walk) items(s *apiextensionsv1.JSONSchemaProps, p inherited) {
	if s.Items == nil {
		return
	}
	if s.Items.Schema != nil {
		w.at.Push("items")
		w.schema(s.Items.Schema, p)
		w.at.Pop()
	}
	w.list("items", s.Items.JSONSchemas, p)
}
