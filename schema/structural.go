package schema

import (
	"bytes"
	"cmp"
	"reflect"
	"regexp/syntax"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// Structural rules.
//
// A schema outside of allOf, anyOf, oneOf and not declares the structure of values. A schema
// inside of them is called nested. It only constrains values.
//
// The server converts a schema to other types before it checks these rules. The conversion
// decides which keywords count as present. This package checks the schema without a
// conversion. A keyword counts as present:
//
//   - default and example: if not null;
//   - enum: if not empty;
//   - required, x-kubernetes-list-map-keys and x-kubernetes-validations: if not nil, where
//     the server compares a whole schema (see [declaresNothing]);
//   - properties: if not empty, and in a nested schema if not nil;
//   - additionalProperties: always, but in a nested schema only if true or a schema.
//
// The rules for a single schema are checked while it is compiled. Afterwards, [completeness]
// checks that nested schemas only constrain declared values.
//
// Before these rules, the server refuses the first unsupported keyword. It looks at a schema
// before the schemas below it: first the nested schemas, then items, then properties.

// A structuralLevel says which rules apply to a schema.
type structuralLevel int

const (
	levelUnchecked   structuralLevel = iota // no rule applies
	levelRoot                               // the root
	levelItem                               // in items
	levelField                              // in properties or additionalProperties
	levelNested                             // a nested schema
	levelIntOrString                        // a nested schema whose anyOf is the int-or-string form
)

// below returns the level of a schema inside of a schema at level l. If l is nested or
// unchecked, the inner schema is too, else it has the given level.
func (l structuralLevel) below(level structuralLevel) structuralLevel {
	switch l {
	case levelUnchecked:
		return levelUnchecked
	case levelNested, levelIntOrString:
		return levelNested
	}
	return level
}

func (l structuralLevel) nested() structuralLevel { return l.below(levelNested) }

// junctors returns the level of the first schema in allOf of n, and the level of the schemas
// in anyOf. See [isIntOrString].
func (l structuralLevel) junctors(n *apiextensionsv1.JSONSchemaProps) (firstOfAll, any structuralLevel) {
	firstOfAll, any = l.nested(), l.nested()
	structural := l.below(levelField) == levelField
	if l == levelIntOrString || structural && isIntOrString(n.AnyOf) {
		any = levelUnchecked
	}
	if structural && len(n.AllOf) > 0 && isIntOrString(n.AllOf[0].AnyOf) {
		firstOfAll = levelIntOrString
	}
	return firstOfAll, any
}

// structuralDepth is the initial capacity of the stack of schemas.
const structuralDepth = 8

type structuralCheck struct {
	base *pathstack.Chain // of the root
	at   pathstack.SchemaStack
	errs errorlimit.List

	patterns map[string]bool // patterns that are valid; many schemas have equal patterns
}

func newStructuralCheck(o options) structuralCheck {
	return structuralCheck{base: o.at, at: pathstack.NewSchemaStack(o.at, structuralDepth), errs: errorlimit.List{Limit: o.limit}}
}

// finish checks completeness and returns all structural errors, sorted by text. Errors with
// equal texts are sorted by field, type and detail. It is called after the walk.
func (c *structuralCheck) finish(props *apiextensionsv1.JSONSchemaProps) field.ErrorList {
	if hasJunctors(props) {
		p := completeness{structural: pathstack.NewSchemaStack(c.base, 0), nested: pathstack.NewSchemaStack(c.base, 0), errs: &c.errs}
		p.junctors(props, props)
	}
	errs := c.errs.Errors()
	texts := make(map[*field.Error]string, len(errs))
	for _, err := range errs {
		texts[err] = err.Error()
	}
	slices.SortFunc(errs, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(texts[a], texts[b]), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Detail, b.Detail))
	})
	return errs
}

// schema checks the schema n at c.at without the schemas below it.
func (c *structuralCheck) schema(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	switch level {
	case levelUnchecked:
		return
	case levelNested, levelIntOrString:
		c.nested(n)
	default:
		c.structure(n, level)
	}
	c.checkPattern(n)
}

// structure checks a schema that is not nested. Any type name is allowed.
func (c *structuralCheck) structure(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if n.Type == "array" && itemsOf(n) == nil {
		c.require("items", "must be specified")
	}
	c.requireType(n, level)
	c.checkIntOrString(n)
	if level == levelRoot {
		c.root(n)
	}
	if n.XEmbeddedResource {
		c.embedded(n)
	}
	if level == levelRoot || n.XEmbeddedResource {
		c.resourceField(n, "kind", "string", "must be string")
		c.resourceField(n, "apiVersion", "string", "must be string")
		c.resourceField(n, "metadata", "object", "must be object")
	}
}

// requireType checks that a schema has a type. x-kubernetes-int-or-string and
// x-kubernetes-preserve-unknown-fields replace the type. For embedded resources see
// [structuralCheck.embedded].
func (c *structuralCheck) requireType(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if n.XEmbeddedResource || n.Type != "" || n.XIntOrString || preservesUnknown(n) {
		return
	}
	switch level {
	case levelRoot:
		c.require("type", "must not be empty at the root")
	case levelItem:
		c.require("type", "must not be empty for specified array items")
	default:
		c.require("type", "must not be empty for specified object fields")
	}
}

// checkIntOrString checks that x-kubernetes-int-or-string is not combined with
// x-kubernetes-preserve-unknown-fields or x-kubernetes-embedded-resource.
func (c *structuralCheck) checkIntOrString(n *apiextensionsv1.JSONSchemaProps) {
	const detail = "must be false if x-kubernetes-int-or-string is true"
	if n.XIntOrString && preservesUnknown(n) {
		c.invalid("x-kubernetes-preserve-unknown-fields", true, detail)
	}
	if n.XIntOrString && n.XEmbeddedResource {
		c.invalid("x-kubernetes-embedded-resource", true, detail)
	}
}

// root checks that the root is an object and has no additionalProperties, not even false.
// The schema of its metadata may have the type object, a default, and the properties name
// and generateName.
func (c *structuralCheck) root(n *apiextensionsv1.JSONSchemaProps) {
	if n.Type != "" && n.Type != "object" {
		c.invalid("type", n.Type, "must be object at the root")
	}
	if n.AdditionalProperties != nil {
		c.forbid("additionalProperties", "must not be used at the root")
	}
	metadata, ok := n.Properties["metadata"]
	if ok && !(onlyNames(metadata.Properties) && metadata.AdditionalProperties == nil && declaresNothing(&metadata)) {
		c.forbidMetadata("must not specify anything other than name and generateName, but metadata is implicitly specified")
	}
}

// embedded checks that an embedded resource has the type object, and declares properties or
// preserves unknown fields.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension
func (c *structuralCheck) embedded(n *apiextensionsv1.JSONSchemaProps) {
	const detail = "must be object if x-kubernetes-embedded-resource is true"
	switch n.Type {
	case "object":
	case "":
		c.require("type", detail)
	default:
		c.invalid("type", n.Type, detail)
	}
	if n.AdditionalProperties != nil {
		c.forbid("additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
	}
	if !preservesUnknown(n) && len(n.Properties) == 0 {
		c.require("properties", "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields")
	}
}

func (c *structuralCheck) resourceField(n *apiextensionsv1.JSONSchemaProps, name, typ, detail string) {
	property, ok := n.Properties[name]
	if !ok || property.Type == typ {
		return
	}
	c.at.PushKey("properties", name)
	c.invalid("type", property.Type, detail)
	c.at.Pop()
}

func (c *structuralCheck) forbidMetadata(detail string) {
	at := c.at.Here().Child("properties").Key("metadata")
	c.errs.AddAt(at, field.Forbidden(at.Path(), detail))
}

func onlyNames(properties map[string]apiextensionsv1.JSONSchemaProps) bool {
	for name := range properties {
		if name != "name" && name != "generateName" {
			return false
		}
	}
	return true
}

func preservesUnknown(n *apiextensionsv1.JSONSchemaProps) bool {
	return n.XPreserveUnknownFields != nil && *n.XPreserveUnknownFields
}

// checkPattern checks that the pattern is valid for package regexp.
func (c *structuralCheck) checkPattern(n *apiextensionsv1.JSONSchemaProps) {
	if n.Pattern == "" || c.patterns[n.Pattern] {
		return
	}
	if _, err := syntax.Parse(n.Pattern, syntax.Perl); err != nil {
		c.invalid("pattern", n.Pattern, "must be a valid regular expression, but isn't: "+err.Error())
		return
	}
	if c.patterns == nil {
		c.patterns = map[string]bool{}
	}
	c.patterns[n.Pattern] = true
}

func (c *structuralCheck) require(keyword, detail string) {
	at := c.at.Here().Child(keyword)
	c.errs.AddAt(at, field.Required(at.Path(), detail))
}

func (c *structuralCheck) forbid(keyword, detail string) {
	at := c.at.Here().Child(keyword)
	c.errs.AddAt(at, field.Forbidden(at.Path(), detail))
}

func (c *structuralCheck) invalid(keyword string, value any, detail string) {
	at := c.at.Here().Child(keyword)
	c.errs.AddAt(at, field.Invalid(at.Path(), value, detail))
}

func itemsOf(n *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if n.Items == nil {
		return nil
	}
	return n.Items.Schema
}

// unsupportedKeyword returns the error for an unsupported keyword, or "". $schema is allowed
// if unstructured is true.
func unsupportedKeyword(props *apiextensionsv1.JSONSchemaProps, unstructured bool) string {
	var keyword string
	switch {
	case props.ID != "":
		keyword = "id"
	case props.Schema != "" && !unstructured:
		keyword = "schema"
	case props.Ref != nil && *props.Ref != "":
		keyword = "$ref"
	case len(props.PatternProperties) > 0:
		keyword = "patternProperties"
	case len(props.Dependencies) > 0:
		keyword = "dependencies"
	case props.AdditionalItems != nil:
		keyword = "additionalItems"
	case len(props.Definitions) > 0:
		keyword = "definitions"
	default:
		return ""
	}
	return "OpenAPIV3Schema '" + keyword + "' is not supported"
}

// unsupportedValue returns the error for an unsupported value of a keyword, or "". The server
// finds it after all errors of nested schemas.
func unsupportedValue(props *apiextensionsv1.JSONSchemaProps) string {
	if x := props.XPreserveUnknownFields; x != nil && !*x {
		return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
	}
	if props.Items != nil && len(props.Items.JSONSchemas) > 0 {
		return "OpenAPIV3Schema 'items' must be a schema, but is an array"
	}
	return ""
}

// completeness checks that nested schemas only constrain items and properties that are
// declared outside of nested schemas. It walks a nested schema and the structural schema in
// parallel.
//
// The server checks only the nested schemas of the root, so the nested schemas of a property
// may constrain undeclared fields. additionalProperties declares no field.
type completeness struct {
	structural pathstack.SchemaStack // of the structural schema
	nested     pathstack.SchemaStack // of the nested schema
	errs       *errorlimit.List
}

// junctors checks the schemas in allOf, anyOf, oneOf and not of v. s is the structural schema
// of the same value.
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

// values checks a nested schema v. s is the structural schema of the same value. If s is
// nil, it reports v as undeclared.
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

// properties checks the properties of v. It copies them as [compiler.properties] does.
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

// nested checks that a nested schema does not declare structure. example and externalDocs
// are allowed.
func (c *structuralCheck) nested(n *apiextensionsv1.JSONSchemaProps) {
	const (
		empty     = "must be empty to be structural"
		undefined = "must be undefined to be structural"
		isFalse   = "must be false to be structural"
	)
	for _, rule := range [...]struct {
		broken          bool
		keyword, detail string
	}{
		{n.Type != "", "type", empty},
		{n.Title != "", "title", empty},
		{n.Description != "", "description", empty},
		{hasValue(n.Default), "default", undefined},
		{n.Nullable, "nullable", isFalse},
		{preservesUnknown(n), "x-kubernetes-preserve-unknown-fields", isFalse},
		{n.XEmbeddedResource, "x-kubernetes-embedded-resource", isFalse},
		{n.XIntOrString, "x-kubernetes-int-or-string", isFalse},
		{len(n.XListMapKeys) > 0, "x-kubernetes-list-map-keys", empty},
		{n.XListType != nil, "x-kubernetes-list-type", undefined},
		{n.XMapType != nil, "x-kubernetes-map-type", undefined},
		{len(n.XValidations) > 0, "x-kubernetes-validations", empty},
		{restrictsAdditional(n), "additionalProperties", undefined}, // the value false is not an error
	} {
		if rule.broken {
			c.forbid(rule.keyword, rule.detail)
		}
	}
	// A property metadata is an error even if it is not the metadata of a resource.
	if _, ok := n.Properties["metadata"]; ok {
		c.forbidMetadata("must not be specified in a nested context")
	}
}

// isIntOrString reports whether anyOf is exactly {type: integer} and {type: string}. The
// rules for nested schemas do not apply to it, even without x-kubernetes-int-or-string.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#intorstring
func isIntOrString(anyOf []apiextensionsv1.JSONSchemaProps) bool {
	return len(anyOf) == 2 && isOnlyType(&anyOf[0], "integer") && isOnlyType(&anyOf[1], "string")
}

// isOnlyType reports whether n declares this type and nothing else. Properties that are empty
// but not nil count as declared.
func isOnlyType(n *apiextensionsv1.JSONSchemaProps, typ string) bool {
	return n.Type == typ && n.Properties == nil && !restrictsAdditional(n) && !hasValue(n.Default) && declaresNothing(n)
}

func restrictsAdditional(n *apiextensionsv1.JSONSchemaProps) bool {
	a := n.AdditionalProperties
	return a != nil && (a.Allows || a.Schema != nil)
}

// declaresNothing reports whether the server considers n as empty. It ignores type, default,
// properties, additionalProperties and unsupported keywords, which have their own errors. A
// list that is empty but not nil counts as declared, except enum and lists of schemas.
func declaresNothing(n *apiextensionsv1.JSONSchemaProps) bool {
	if len(n.Enum) > 0 || itemsOf(n) != nil || hasJunctors(n) || hasValue(n.Example) || preservesUnknown(n) {
		return false
	}
	rest := *n
	rest.Enum, rest.Items, rest.AllOf, rest.AnyOf, rest.OneOf, rest.Example, rest.XPreserveUnknownFields = nil, nil, nil, nil, nil, nil, nil
	rest.Type, rest.Default, rest.Properties, rest.AdditionalProperties = "", nil, nil, nil
	rest.ID, rest.Schema, rest.Ref, rest.PatternProperties, rest.Dependencies = "", "", nil, nil, nil
	rest.AdditionalItems, rest.Definitions = nil, nil
	return reflect.ValueOf(rest).IsZero()
}

func hasJunctors(n *apiextensionsv1.JSONSchemaProps) bool {
	return len(n.AllOf) > 0 || len(n.AnyOf) > 0 || len(n.OneOf) > 0 || n.Not != nil
}

// hasValue reports whether j is a value other than null.
func hasValue(j *apiextensionsv1.JSON) bool {
	if j == nil {
		return false
	}
	raw := bytes.TrimSpace(j.Raw)
	return len(raw) > 0 && string(raw) != "null"
}
