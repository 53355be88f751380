package definition

import (
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/crdpath"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/schema"
)

// This file checks the schemas under all keywords, except patternProperties and additionalItems,
// which are not allowed. Package schema checks the structural rules.

type walk struct {
	*checker
	here        *pathstack.Chain // the location of the current schema
	around      []inherited      // of the current schema and the schemas around it
	checksRules bool             // rules will be checked
	// faulty has the field paths of schemas that have rules and an error at or below the schema.
	faulty map[string]bool
}

// inherited is what a schema inherits from the schemas around it.
type inherited struct {
	root     bool   // the schema describes whole objects
	resource bool   // the schema describes a resource
	isNode   bool   // outside of allOf, anyOf, oneOf, not and keywords that are not allowed
	meta     bool   // inside of the metadata, kind or apiVersion of a resource
	defaults bool   // defaults are allowed
	reason   string // why defaults are not allowed
	topLevel string // the name of the field that is the reason, "" for none
	before   int    // how many errors there were before the check of the schema
}

func (p inherited) below(keyword, name string) inherited {
	switch keyword {
	case "items":
	case "additionalProperties":
		if p.meta {
			p.defaults, p.reason, p.topLevel = false, " inside additionalProperties applying to object metadata", ""
		}
	case "properties":
		if !p.resource || !isMeta(name) {
			break
		}
		p.meta = true
		if p.root {
			p.defaults, p.reason, p.topLevel = false, " in top-level ", name
		}
	default:
		p.isNode = false
	}
	p.root = false
	return p
}

// run checks the root schema of a version. defaultsForbidden says why defaults are not allowed; if
// it is "", they are.
func (w *walk) run(root *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain, defaultsForbidden string) {
	v := &w.cfg.visitor
	v.walk = w
	w.here = v.here()
	w.around = append(make([]inherited, 0, 8), inherited{root: true, isNode: true, defaults: defaultsForbidden == "", reason: defaultsForbidden})
	v.start(root, at)
	v.walk = nil
}

// check checks one schema. It reports whether to visit the schemas below it.
func (w *walk) check(s *apiextensionsv1.JSONSchemaProps) bool {
	keyword, name := w.cfg.visitor.at.Last()
	if keyword == "patternProperties" || keyword == "additionalItems" {
		return false
	}
	p := w.around[len(w.around)-1]
	if keyword != "" {
		p = p.below(keyword, name)
	}
	p.resource, p.before = p.root || s.XEmbeddedResource, w.errs.Added()
	w.around = append(w.around, p)
	w.keywords(s, &p)
	if a := s.AdditionalProperties; a != nil && len(s.Properties) != 0 && (!a.Allows || a.Schema != nil) {
		w.forbidden(w.here.Child("additionalProperties"), "additionalProperties and properties are mutual exclusive")
	}
	w.listsAndMaps(s, w.here)
	if len(s.XValidations) > 0 {
		w.rules(s)
	}
	return true
}

// done is called after everything below a schema was checked.
func (w *walk) done(s *apiextensionsv1.JSONSchemaProps) {
	p := &w.around[len(w.around)-1]
	w.around = w.around[:len(w.around)-1]
	if w.checksRules && p.isNode && len(s.XValidations) > 0 && w.errs.Added() > p.before {
		if w.faulty == nil {
			w.faulty = map[string]bool{}
		}
		w.faulty[w.here.Path().String()] = true
	}
}

func typeNames() []string {
	return []string{"array", "boolean", "integer", "number", "object", "string"}
}

func (w *walk) keywords(s *apiextensionsv1.JSONSchemaProps, p *inherited) {
	at := w.here
	if w.opts.knownTypes && s.Type != "" && !slices.Contains(typeNames(), s.Type) {
		w.unsupported(at.Child("type"), s.Type, typeNames())
	}
	if s.Default != nil && !p.defaults {
		w.forbidden(at.Child("default"), "must not be set"+p.reason+p.topLevel)
	}
	refuse := func(found bool, keyword string) {
		if found {
			w.forbidden(at.Child(keyword), keyword+" is not supported")
		}
	}
	refuse(s.ID != "", "id")
	refuse(s.AdditionalItems != nil, "additionalItems")
	refuse(len(s.PatternProperties) != 0, "patternProperties")
	refuse(len(s.Definitions) != 0, "definitions")
	refuse(s.Dependencies != nil, "dependencies")
	refuse(s.Ref != nil, "$ref")
	if s.Type == "null" {
		w.forbidden(at.Child("type"), "type cannot be set to null, use nullable as an alternative")
	}
	if s.Items != nil && len(s.Items.JSONSchemas) != 0 {
		w.forbidden(at.Child("items"), "items must be a schema object and not an array")
	}
	if p.meta && s.XEmbeddedResource {
		w.forbidden(at.Child("x-kubernetes-embedded-resource"), "must not be used inside of resource meta")
	}
	if s.UniqueItems {
		w.forbidden(at.Child("uniqueItems"), "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
	}
	if x := s.XPreserveUnknownFields; x != nil && !*x {
		w.invalid(at.Child("x-kubernetes-preserve-unknown-fields"), *x, "must be true or undefined")
	}
}

func isMeta(name string) bool { return name == "metadata" || name == "kind" || name == "apiVersion" }

// rules makes the checks of [celcost.CheckRule], which need no compiled rule. It follows a
// fieldPath in the schema as written, because the schema may not be structural. If the server
// cannot convert the schema, a wrong fieldPath is no error.
func (w *walk) rules(s *apiextensionsv1.JSONSchemaProps) {
	own := *s // only this copy moves to the heap
	convertible := sync.OnceValue(func() bool { return isConvertible(&own) })
	follow := func(fieldPath string) error {
		err := crdpath.FollowField(fieldPath, &crdpath.PropsCursor{At: &own}, crdpath.DotsAndBrackets)
		if err != nil && !w.checksRules && !convertible() {
			return nil
		}
		return err
	}
	for i := range s.XValidations {
		r := &s.XValidations[i]
		rule := schema.Rule{Rule: r.Rule, Message: r.Message, MessageExpression: r.MessageExpression, FieldPath: r.FieldPath}
		if r.Reason != nil {
			rule.Reason, rule.SetReason = string(*r.Reason), true
		}
		w.errs.Add(celcost.CheckRule(&rule, w.here.Child("x-kubernetes-validations").Index(i), w.cfg.limit, follow)...)
	}
}

func isConvertible(s *apiextensionsv1.JSONSchemaProps) bool {
	path := field.NewPath("schema")
	_, errs := schema.Compile(s, schema.AtPath(path), schemaopt.WithoutAnnotations{}, errorlimit.New(1))
	return len(errs) != 1 || !isInconvertible(errs[0], path)
}

// A check walks the schema of a version once in each of its phases:
//
// 1. facts.go finds what the other phases must know, and the warnings.
// 2. Package schema checks the structure and compiles the schema.
// 3. check_defaults.go checks the defaults of the compiled schema.
// 4. walk.go checks what the server demands of every schema.
// 5. Package validation/cel checks the rules of the compiled schema.
// 6. notes.go adds the notes.

// A visitor visits a schema and all schemas in it, under any keyword. One phase is set: survey,
// walk or notes. Named schemas come in random order.
//
// A phase must not keep a schema, because the memory of named schemas is reused.
type visitor struct {
	at       pathstack.SchemaStack // the location of the current schema
	location *pathstack.Chain      // here returns it; made at the first use

	survey *survey
	walk   *walk
	notes  *schemaNotes
}

// here returns the location of the current schema. It changes as the visit goes on.
func (v *visitor) here() *pathstack.Chain {
	if v.location == nil {
		v.location = v.at.Here()
	}
	return v.location
}

func (v *visitor) start(root *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	v.at.Start(at)
	v.visit(root)
}

func (v *visitor) enter(s *apiextensionsv1.JSONSchemaProps) bool {
	switch {
	case v.survey != nil:
		return v.survey.note(s)
	case v.walk != nil:
		return v.walk.check(s)
	default:
		return v.notes.note(s)
	}
}

func (v *visitor) leave(s *apiextensionsv1.JSONSchemaProps) {
	switch {
	case v.walk != nil:
		v.walk.done(s)
	case v.notes != nil:
		v.notes.done()
	}
}

func (v *visitor) visit(s *apiextensionsv1.JSONSchemaProps) {
	if !v.enter(s) {
		return
	}
	if s.Items != nil {
		v.one("items", s.Items.Schema)
		v.list("items", s.Items.JSONSchemas)
	}
	v.list("allOf", s.AllOf)
	v.list("anyOf", s.AnyOf)
	v.list("oneOf", s.OneOf)
	v.one("not", s.Not)
	v.named("properties", s.Properties)
	v.named("patternProperties", s.PatternProperties)
	v.named("definitions", s.Definitions)
	v.either("additionalProperties", s.AdditionalProperties)
	v.either("additionalItems", s.AdditionalItems)
	for name, d := range s.Dependencies {
		if d.Schema != nil {
			v.at.PushKey("dependencies", name)
			v.visit(d.Schema)
			v.at.Pop()
		}
	}
	v.leave(s)
}

func (v *visitor) one(keyword string, s *apiextensionsv1.JSONSchemaProps) {
	if s != nil {
		v.at.Push(keyword)
		v.visit(s)
		v.at.Pop()
	}
}

func (v *visitor) either(keyword string, s *apiextensionsv1.JSONSchemaPropsOrBool) {
	if s != nil {
		v.one(keyword, s.Schema)
	}
}

func (v *visitor) list(keyword string, schemas []apiextensionsv1.JSONSchemaProps) {
	for i := range schemas {
		v.at.PushIndex(keyword, i)
		v.visit(&schemas[i])
		v.at.Pop()
	}
}

func (v *visitor) named(keyword string, schemas map[string]apiextensionsv1.JSONSchemaProps) {
	if len(schemas) == 0 {
		return
	}
	var s apiextensionsv1.JSONSchemaProps // reused for all names
	var name string
	for name, s = range schemas {
		v.at.PushKey(keyword, name)
		v.visit(&s)
		v.at.Pop()
	}
}

func listType(s *apiextensionsv1.JSONSchemaProps) string {
	if s.XListType == nil {
		return ""
	}
	return *s.XListType
}

func itemsOf(s *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// listsAndMaps checks the keywords for the merging of lists and maps.
//
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
func (c *checker) listsAndMaps(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if s.XMapType != nil {
		c.typeFor("object", s.Type, at, "must be object if x-kubernetes-map-type is specified")
		if accepted := []string{"atomic", "granular"}; !slices.Contains(accepted, *s.XMapType) {
			c.unsupported(at.Child("x-kubernetes-map-type"), *s.XMapType, accepted)
		}
	}
	if s.XListType != nil {
		if s.Type == "array" {
			c.atomicSet(s, at)
		}
		c.typeFor("array", s.Type, at, "must be array if x-kubernetes-list-type is specified")
		if accepted := []string{"atomic", "set", "map"}; !slices.Contains(accepted, *s.XListType) {
			c.unsupported(at.Child("x-kubernetes-list-type"), *s.XListType, accepted)
		}
	}
	c.keysOfMapOnly(s, at)
	if listType(s) == "map" {
		c.mapList(s, at)
	}
	if c.opts.validKeys {
		c.validKeys(s, at)
	}
}

func (c *checker) typeFor(want, typ string, at *pathstack.Chain, text string) {
	switch typ {
	case want:
	case "":
		c.required(at.Child("type"), text)
	default:
		c.invalid(at.Child("type"), typ, text)
	}
}

// nonAtomicItems returns the keyword that makes the elements of a list not atomic, or "".
func nonAtomicItems(s *apiextensionsv1.JSONSchemaProps) string {
	items := itemsOf(s)
	if items == nil {
		return ""
	}
	switch items.Type {
	case "array": // atomic unless the schema says otherwise
		if items.XListType != nil && *items.XListType != "atomic" {
			return "x-kubernetes-list-type"
		}
	case "object": // granular unless the schema says otherwise
		if items.XMapType == nil || *items.XMapType != "atomic" {
			return "x-kubernetes-map-type"
		}
	}
	return ""
}

func (c *checker) atomicSet(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if !c.opts.atomicSets || *s.XListType != "set" {
		return
	}
	if keyword := nonAtomicItems(s); keyword != "" {
		// The value in an error about the map type is the list type.
		c.invalid(at.Child("items").Child(keyword), s.Items.Schema.XListType,
			"must be atomic as item of a list with x-kubernetes-list-type=set")
	}
}

func (c *checker) keysOfMapOnly(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	const text = "must be map if x-kubernetes-list-map-keys is non-empty"
	switch {
	case len(s.XListMapKeys) == 0:
	case s.XListType == nil:
		c.required(at.Child("x-kubernetes-list-type"), text)
	case *s.XListType != "map":
		c.invalid(at.Child("x-kubernetes-list-type"), *s.XListType, text)
	}
}

func (c *checker) mapList(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if len(s.XListMapKeys) == 0 {
		c.required(at.Child("x-kubernetes-list-map-keys"), "must not be empty if x-kubernetes-list-type is map")
	}
	items := itemsOf(s)
	switch {
	case s.Items == nil:
		c.required(at.Child("items"), "must have a schema if x-kubernetes-list-type is map")
	case items == nil:
		c.invalid(at.Child("items"), s.Items, "must only have a single schema if x-kubernetes-list-type is map")
	case items.Type != "object":
		c.invalid(at.Child("items").Child("type"), items.Type, "must be object if parent array's x-kubernetes-list-type is map")
	default:
		c.mapKeys(s, items, at)
	}
}

func (c *checker) mapKeys(s, items *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	seen := map[string]bool{}
	for _, key := range s.XListMapKeys {
		property, ok := items.Properties[key]
		switch {
		case !ok:
			c.invalid(at.Child("x-kubernetes-list-map-keys"), s.XListMapKeys, "entries must all be names of item properties")
		case property.Type == "array" || property.Type == "object":
			// The value in the error is the type of the elements, not of the key.
			c.invalid(at.Child("items").Child("properties").Key(key).Child("type"), items.Type,
				"must be a scalar type if parent array's x-kubernetes-list-type is map")
		}
		if seen[key] {
			c.invalid(at.Child("x-kubernetes-list-map-keys"), s.XListMapKeys, "must not contain duplicate entries")
		}
		seen[key] = true
	}
}

// validKeys checks that elements of sets and map lists are not nullable, and that keys are
// required or have defaults.
func (c *checker) validKeys(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	items := itemsOf(s)
	typ := listType(s)
	if items == nil || typ != "set" && typ != "map" {
		return
	}
	if items.Nullable {
		c.forbidden(at.Child("items").Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+typ)
	}
	if typ == "set" {
		return
	}
	optional := optionalKeys(items)
	for _, key := range s.XListMapKeys {
		if optional(key) {
			c.required(at.Child("items").Child("properties").Key(key).Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property")
		}
		if items.Properties[key].Nullable {
			c.forbidden(at.Child("items").Child("properties").Key(key).Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")
		}
	}
}

// optionalKeys returns a function that reports whether items declare the key, do not require it,
// and give it no default.
func optionalKeys(items *apiextensionsv1.JSONSchemaProps) func(key string) bool {
	required := map[string]bool{}
	for _, name := range items.Required {
		required[name] = true
	}
	return func(key string) bool {
		p, ok := items.Properties[key]
		return ok && p.Default == nil && !required[key]
	}
}
