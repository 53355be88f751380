package schema

import (
	"regexp/syntax"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/errorlimit"
	"github.com/crdkit/crdkit/internal/pathstack"
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

// A structuralLevel is the role of a structural schema.
type structuralLevel int

const (
	levelRoot  structuralLevel = iota
	levelItem                  // the schema of array elements
	levelField                 // the schema of a property or of additional properties
)

// finish returns the structural errors of props in increasing order of their
// texts. [structuralCheck.structure] must have checked all schemas of its
// structure, and [unsupported] must have returned no text for it.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
func (c *structuralCheck) finish(props *apiextensionsv1.JSONSchemaProps) field.ErrorList {
	if hasJunctors(props) {
		p := completeness{structural: pathstack.NewSchemaStack(c.base, 0), nested: pathstack.NewSchemaStack(c.base, 0), errs: &c.errs}
		p.junctors(props, props)
	}
	errs := c.errs.Errors()
	sortByText(errs, c.errs.Watch)
	return errs
}

// structuralDepth is the depth up to which the path needs no more memory.
const structuralDepth = 8

// structuralCheck is the state of the check of one schema.
type structuralCheck struct {
	base *pathstack.Chain // of the root
	at   pathstack.SchemaStack
	errs errorlimit.List

	// patterns has the patterns that the parser accepted, as many schemas have
	// the same pattern. Simple patterns are not parsed.
	patterns map[string]bool
}

func newStructuralCheck(o options) structuralCheck {
	return structuralCheck{base: o.at, at: pathstack.NewSchemaStack(o.at, structuralDepth), errs: errorlimit.List{Limit: o.limit, Watch: o.watch}}
}

// structure checks n, a schema of the structure at c.at, and the schemas nested
// in it. [compiler.compileNode] visits the structure below n.
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
// nested itself. It skips the anyOf of n if exemptAnyOf, and the anyOf of its
// first allOf if exemptFirstAllOf (see [isIntOrString]).
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

// patternCompiles: a pattern has the syntax of package regexp. A pattern that
// parses always compiles.
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

// itemsOf returns the schema of the elements of n, nil if there is none.
func itemsOf(n *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if n.Items == nil {
		return nil
	}
	return n.Items.Schema
}
