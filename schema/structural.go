package schema

import (
	"cmp"
	"regexp/syntax"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// Structural rules.
//
// The type JSONSchemaProps represents two languages. Outside of allOf, anyOf,
// oneOf and not, a schema declares the structure of values: types, fields,
// elements. A nested schema, inside of them, may only constrain values and must
// not add structure. The server separates the two by converting the schema to a
// pair of types first. This package walks the schema as it was decoded. Where
// the conversion decides a rule because it drops or keeps a member, the rule
// tests the decoded member accordingly:
//
//   - a default or an example of null is absent, and so is an empty enum;
//   - required, x-kubernetes-list-map-keys and x-kubernetes-validations are
//     present if they are not nil, even if empty, where the server compares a
//     whole schema (see [declaresNothing]);
//   - properties is present with the first property in a structural schema, and
//     if it is not nil in a nested one;
//   - additionalProperties is present in a structural schema even if false, and
//     in a nested one only if it is true or a schema.
//
// The check has two parts. The first applies the rules that need a single
// schema, while the schema is compiled. The second, in structural_complete.go,
// starts at the root and checks that everything that a nested schema constrains
// is declared.
//
// Before any structural rule the server refuses keywords that it does not support, with one
// error. It looks at a schema before those below it, at nested schemas before elements, and
// at elements before fields, which it visits in random order. The compiler does so too, with
// fields in increasing order of name.

// A structuralLevel is the role of a schema.
type structuralLevel int

const (
	levelUnchecked   structuralLevel = iota // no rule applies
	levelRoot                               // a structural schema, as the next two
	levelItem                               // the schema of array elements
	levelField                              // the schema of a property or of additional properties
	levelNested                             // a nested schema
	levelIntOrString                        // a nested schema whose anyOf is that of an int-or-string
)

// below returns the level of a schema in items or in a property of a schema at l. It is level
// if l is structural.
func (l structuralLevel) below(level structuralLevel) structuralLevel {
	switch l {
	case levelUnchecked:
		return levelUnchecked
	case levelNested, levelIntOrString:
		return levelNested
	}
	return level
}

// nested returns the level of a schema nested in one at l.
func (l structuralLevel) nested() structuralLevel { return l.below(levelNested) }

// junctors returns the levels of the first schema in allOf and of those in anyOf of n, which
// is at l. See [isIntOrString].
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

// structuralDepth is the depth up to which the path needs no more memory.
const structuralDepth = 8

type structuralCheck struct {
	base *pathstack.Chain // of the root
	at   pathstack.SchemaStack
	errs errorlimit.List

	patterns map[string]bool // those that compile, as many schemas have the same pattern
}

func newStructuralCheck(o options) structuralCheck {
	return structuralCheck{base: o.at, at: pathstack.NewSchemaStack(o.at, structuralDepth), errs: errorlimit.List{Limit: o.limit}}
}

// finish returns the structural errors of props in increasing order of their texts. Errors
// with equal texts, which occur if the name of a property looks like a path, are in the order
// of their parts. [structuralCheck.schema] must have checked all schemas.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
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
	c.patternCompiles(n)
}

// structure checks a structural schema. No rule says that a type exists: "type: foo" is
// structural.
func (c *structuralCheck) structure(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if n.Type == "array" && itemsOf(n) == nil {
		c.require("items", "must be specified")
	}
	c.typeIsStated(n, level)
	c.intOrStringStandsAlone(n)
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

// typeIsStated: a schema has a type, and an embedded resource has the type object. The
// extensions int-or-string and preserve-unknown-fields replace a type, except in the schema
// of an embedded resource.
func (c *structuralCheck) typeIsStated(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
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

// intOrStringStandsAlone: x-kubernetes-int-or-string replaces a type and excludes the other
// extensions that do.
func (c *structuralCheck) intOrStringStandsAlone(n *apiextensionsv1.JSONSchemaProps) {
	const detail = "must be false if x-kubernetes-int-or-string is true"
	if n.XIntOrString && preservesUnknown(n) {
		c.invalid("x-kubernetes-preserve-unknown-fields", true, detail)
	}
	if n.XIntOrString && n.XEmbeddedResource {
		c.invalid("x-kubernetes-embedded-resource", true, detail)
	}
}

// root: the root is an object that declares its fields one by one: even
// additionalProperties: false is an error. The server defines its metadata, so the schema of
// the metadata constrains only name and generateName, in any form. It may also declare the
// type object and a default, which is checked elsewhere. The metadata of embedded resources
// may be constrained freely.
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

// embedded: an embedded resource is an object that declares its fields one by one, or
// preserves unknown ones.
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

// forbidMetadata adds an error for the property metadata of the current schema.
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

// patternCompiles: a pattern has the syntax of package regexp. A pattern that
// parses always compiles.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
func (c *structuralCheck) patternCompiles(n *apiextensionsv1.JSONSchemaProps) {
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

// require adds an error for a keyword that the current schema must have.
func (c *structuralCheck) require(keyword, detail string) {
	at := c.at.Here().Child(keyword)
	c.errs.AddAt(at, field.Required(at.Path(), detail))
}

// forbid adds an error for a keyword that the current schema must not have.
func (c *structuralCheck) forbid(keyword, detail string) {
	at := c.at.Here().Child(keyword)
	c.errs.AddAt(at, field.Forbidden(at.Path(), detail))
}

// invalid adds an error for the value of a keyword of the current schema.
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

// unsupportedKeyword returns the text of the error for a keyword of JSON Schema that the
// server does not support, "" if there is none. If unstructured is set, $schema is ignored.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
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

// unsupportedValue is unsupportedKeyword for values of keywords that the server supports. The
// server looks at these after nested schemas.
func unsupportedValue(props *apiextensionsv1.JSONSchemaProps) string {
	if x := props.XPreserveUnknownFields; x != nil && !*x {
		return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
	}
	if props.Items != nil && len(props.Items.JSONSchemas) > 0 {
		return "OpenAPIV3Schema 'items' must be a schema, but is an array"
	}
	return ""
}
