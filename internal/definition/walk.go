package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Besides being structural, schemas must keep a number of rules of their own,
// which are checked of every schema under every keyword, except in
// patternProperties and additionalItems, which are not allowed at all.

// A walk goes through one schema.
type walk struct {
	*checker
	ruled bool // rules will be checked, if what is below here is right
	// faulty are the places of schemas with rules at or below which something
	// is wrong.
	faulty map[string]bool
}

// A place is what a schema inherits from those that it is in.
type place struct {
	root     bool   // of objects
	spine    bool   // outside of allOf, anyOf, oneOf, not and keywords that are not allowed
	meta     bool   // inside of the metadata, kind or apiVersion of a resource
	defaults bool   // are allowed
	reason   string // why they are not
}

func (p place) forbidding(reason string) place {
	p.defaults, p.reason = false, reason
	return p
}

func (w *walk) schema(s *apiextensionsv1.JSONSchemaProps, path *field.Path, p place) {
	if s == nil {
		return
	}
	before := len(w.errs)
	root := p.root
	p.root = false
	w.keywords(s, path, p)
	w.properties(s, path, p, root)
	w.nested(s, path, p)
	w.items(s, path, p)
	w.listsAndMaps(s, path)
	for i := range s.XValidations {
		w.rule(&s.XValidations[i], s, path.Child("x-kubernetes-validations").Index(i))
	}
	if w.ruled && p.spine && len(s.XValidations) > 0 && len(w.errs) > before {
		if w.faulty == nil {
			w.faulty = map[string]bool{}
		}
		w.faulty[path.String()] = true
	}
}

func typeNames() []string {
	return []string{"array", "boolean", "integer", "number", "object", "string"}
}

func (w *walk) keywords(s *apiextensionsv1.JSONSchemaProps, path *field.Path, p place) {
	if w.opts.knownTypes && s.Type != "" && !slices.Contains(typeNames(), s.Type) {
		w.add(field.NotSupported(path.Child("type"), s.Type, typeNames()))
	}
	if s.Default != nil && !p.defaults {
		w.add(field.Forbidden(path.Child("default"), "must not be set"+p.reason))
	}
	forbidden := func(found bool, keyword string) {
		if found {
			w.add(field.Forbidden(path.Child(keyword), keyword+" is not supported"))
		}
	}
	forbidden(s.ID != "", "id")
	forbidden(s.AdditionalItems != nil, "additionalItems")
	forbidden(len(s.PatternProperties) != 0, "patternProperties")
	forbidden(len(s.Definitions) != 0, "definitions")
	forbidden(s.Dependencies != nil, "dependencies")
	forbidden(s.Ref != nil, "$ref")
	if s.Type == "null" {
		w.add(field.Forbidden(path.Child("type"), "type cannot be set to null, use nullable as an alternative"))
	}
	if s.Items != nil && len(s.Items.JSONSchemas) != 0 {
		w.add(field.Forbidden(path.Child("items"), "items must be a schema object and not an array"))
	}
	if p.meta && s.XEmbeddedResource {
		w.add(field.Forbidden(path.Child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta"))
	}
	if s.UniqueItems {
		w.add(field.Forbidden(path.Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"))
	}
	if x := s.XPreserveUnknownFields; x != nil && !*x {
		w.add(field.Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), *x, "must be true or undefined"))
	}
}

func isMeta(name string) bool { return name == "metadata" || name == "kind" || name == "apiVersion" }

// properties: a schema describes the fields of a struct or the values of a
// map, and additionalProperties: true is no description.
func (w *walk) properties(s *apiextensionsv1.JSONSchemaProps, path *field.Path, p place, root bool) {
	if a := s.AdditionalProperties; a != nil {
		if len(s.Properties) != 0 && (!a.Allows || a.Schema != nil) {
			w.add(field.Forbidden(path.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive"))
		}
		below := p
		if p.meta {
			below = p.forbidding(" inside additionalProperties applying to object metadata")
		}
		w.schema(a.Schema, path.Child("additionalProperties"), below)
	}
	var name string
	var property apiextensionsv1.JSONSchemaProps // declared here to go to the heap once
	for name, property = range s.Properties {
		below := p
		if (root || s.XEmbeddedResource) && isMeta(name) {
			below.meta = true
			if root {
				below = below.forbidding(" in top-level " + name)
			}
		}
		w.schema(&property, path.Child("properties").Key(name), below)
	}
}

// nested visits schemas that are no part of the structure.
func (w *walk) nested(s *apiextensionsv1.JSONSchemaProps, path *field.Path, p place) {
	p.spine = false
	w.schema(s.Not, path.Child("not"), p)
	for i := range s.AllOf {
		w.schema(&s.AllOf[i], path.Child("allOf").Index(i), p)
	}
	for i := range s.OneOf {
		w.schema(&s.OneOf[i], path.Child("oneOf").Index(i), p)
	}
	for i := range s.AnyOf {
		w.schema(&s.AnyOf[i], path.Child("anyOf").Index(i), p)
	}
	for name, definition := range s.Definitions {
		w.schema(&definition, path.Child("definitions").Key(name), p)
	}
	for name, dependency := range s.Dependencies {
		w.schema(dependency.Schema, path.Child("dependencies").Key(name), p)
	}
}

func (w *walk) items(s *apiextensionsv1.JSONSchemaProps, path *field.Path, p place) {
	if s.Items == nil {
		return
	}
	w.schema(s.Items.Schema, path.Child("items"), p)
	for i := range s.Items.JSONSchemas {
		w.schema(&s.Items.JSONSchemas[i], path.Child("items").Index(i), p)
	}
}
