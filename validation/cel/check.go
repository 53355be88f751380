package cel

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/cel/celcost"
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// Limits of the server for estimated costs, in cost units of CEL.
const (
	// DefaultExpressionLimit is the limit of one rule, times how often its value
	// can occur in one object, and of one messageExpression.
	DefaultExpressionLimit = celcost.ExpressionLimit
	// DefaultSchemaLimit is the limit of all expressions of a schema.
	DefaultSchemaLimit = celcost.SchemaLimit
)

// Check returns the errors that kube-apiserver has for the rules of n and below
// when a definition with them is created or updated, nil if it has none. A nil n
// has no rules.
//
// Rules are new unless [Preexisting] names them. The errors are those of
// [CheckSyntax]; then, for every schema without such errors there and below,
// expressions that do not compile, cost too much, or refer to oldSelf where there
// is none; then the errors of the total. They are in the order of the server:
// what is below a schema before the schema, which means additionalProperties,
// properties by name, items, and then its own rules.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
func Check(n *schema.Node, opts ...Option) field.ErrorList {
	o := newCompileOptions(opts)
	if o.wrong != nil {
		return field.ErrorList{o.wrong}
	}
	return celcost.Check(n, o.Options)
}

// CheckSyntax returns the errors that kube-apiserver finds in rules before it
// compiles any: blank texts, line breaks, unknown reasons, and a fieldPath that
// leads nowhere. It returns nil if there are none. path is the path of the schema
// that has the rules, and n the schema. If n is nil, because the schema is not
// structural, the target of fieldPath is not checked.
func CheckSyntax(rules []schema.Rule, n *schema.Node, path *field.Path) field.ErrorList {
	return celcost.CheckSyntax(rules, n, pathstack.At(path), nil)
}
