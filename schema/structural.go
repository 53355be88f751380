package schema

import (
	"regexp/syntax"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/pathstack"
)

// Structural rules.
//
// Two languages share the type JSONSchemaProps. Outside of allOf, anyOf, oneOf
// and not, a schema gives values their structure: types, fields, elements.
// Inside of them, a nested schema may only narrow the values down and must not
// add to the structure. The server keeps the two apart by converting the
// schema to a pair of types first. We do not convert. We walk the schema as it
// was decoded, and where the conversion decides a rule, because it drops or
// keeps a member, the rule here asks the decoded member accordingly:
//
//   - a default or an example that is null is absent, and so is an empty enum;
//   - required, x-kubernetes-list-map-keys and x-kubernetes-validations are
//     there as soon as they are not nil, even if empty, where the server
//     compares a whole schema (see [declaresNothing]);
//   - properties counts from the first property on in a structural schema, and
//     as soon as it is not nil in a nested one;
//   - additionalProperties counts in a structural schema even if false, and in
//     a nested one only if it is true or a schema.
//
// The check has two parts. The first comes by every node as it is compiled, and
// applies rules that need nothing but the node. The second starts at the root only and checks
// that whatever a nested schema narrows down is declared; it lives in
// structural_complete.go.

// A structuralLevel says where a structural schema is.
type structuralLevel int

const (
	levelRoot  structuralLevel = iota
	levelItem                  // the schema of array elements
	levelField                 // the schema of a field, declared or additional
)

// finish returns the errors that the server has for props because it is not a
// structural schema, in increasing order of their text, once all schemas of its
// structure went through [structuralCheck.structure]. It expects that
// [unsupported] has nothing against props.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
func (c *structuralCheck) finish(props *apiextensionsv1.JSONSchemaProps) field.ErrorList {
	if hasJunctors(props) {
		p := completeness{structural: pathstack.NewSchemaStack(c.base, 0), nested: pathstack.NewSchemaStack(c.base, 0)}
		p.junctors(props, props)
		c.errs = append(c.errs, p.errs...)
	}
	sortByText(c.errs)
	return c.errs
}

// structuralDepth is the depth of a node up to which its place needs no more
// memory than the walk starts with.
const structuralDepth = 8

// structuralCheck is the state of the check of one schema.
type structuralCheck struct {
	base *field.Path // of the root
	at   pathstack.SchemaStack
	errs field.ErrorList

	// patterns are those that compile, but for plain ones. Few schemas have
	// many, and many have the same one often.
	patterns map[string]bool
}

// structure checks n, whose fields and elements are structure, at c.at, with what
// is nested in it. What is below in the structure is for [compiler.internNode].
func (c *structuralCheck) structure(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	c.arrayHasItems(n)
	c.rootHasNoAdditionalProperties(n, level)
	c.intOrStringStandsAlone(n)
	c.typeIsStated(n, level)
	c.rootIsObject(n, level)
	c.embeddedHasNoAdditionalProperties(n)
	c.embeddedHasContent(n)
	c.typeMetaIsString(n, level)
	c.metadataIsObject(n, level)
	c.rootMetadataIsImplied(n, level)
	c.patternCompiles(n)
	c.values(n, isIntOrString(n.AnyOf), len(n.AllOf) > 0 && isIntOrString(n.AllOf[0].AnyOf))
}

// values checks the nested schemas directly below n, which is structural or
// nested itself. Nothing is checked in n's anyOf if exemptAnyOf, nor in the
// anyOf of its first allOf if exemptFirstAllOf (see [isIntOrString]).
func (c *structuralCheck) values(n *apiextensionsv1.JSONSchemaProps, exemptAnyOf, exemptFirstAllOf bool) {
	if !exemptAnyOf {
		for i := range n.AnyOf {
			c.junctor("anyOf", i, &n.AnyOf[i], false)
		}
	}
	for i := range n.AllOf {
		c.junctor("allOf", i, &n.AllOf[i], i == 0 && exemptFirstAllOf)
	}
	for i := range n.OneOf {
		c.junctor("oneOf", i, &n.OneOf[i], false)
	}
	if n.Not != nil {
		c.at.Push("not")
		c.nested(n.Not, false)
		c.at.Pop()
	}
}

func (c *structuralCheck) junctor(keyword string, i int, n *apiextensionsv1.JSONSchemaProps, exemptAnyOf bool) {
	c.at.PushIndex(keyword, i)
	c.nested(n, exemptAnyOf)
	c.at.Pop()
}

// patternCompiles: a pattern is a regular expression of the syntax that Go
// accepts. Parsing decides it; a pattern that parses always compiles.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
func (c *structuralCheck) patternCompiles(n *apiextensionsv1.JSONSchemaProps) {
	if n.Pattern == "" || isSimplePattern(n.Pattern) || c.patterns[n.Pattern] {
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

// require adds an error for a keyword that is missing from the current schema.
func (c *structuralCheck) require(keyword, detail string) {
	c.errs = append(c.errs, field.Required(c.path().Child(keyword), detail))
}

// forbid adds an error for a keyword that the current schema must not have.
func (c *structuralCheck) forbid(keyword, detail string) {
	c.errs = append(c.errs, field.Forbidden(c.path().Child(keyword), detail))
}

// invalid adds an error for the value of a keyword of the current schema.
func (c *structuralCheck) invalid(keyword string, value any, detail string) {
	c.errs = append(c.errs, field.Invalid(c.path().Child(keyword), value, detail))
}

func (c *structuralCheck) path() *field.Path {
	return c.at.Path()
}

// itemsOf returns the schema of n's elements, or nil.
func itemsOf(n *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if n.Items == nil {
		return nil
	}
	return n.Items.Schema
}
