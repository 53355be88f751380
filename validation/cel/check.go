package cel

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/celcost"
	"github.com/crdkit/crdkit/schema"
)

// Limits of the server on what rules may cost by estimate.
const (
	// DefaultExpressionLimit is what one rule may cost, times how often its
	// value can occur in one object, or one messageExpression.
	DefaultExpressionLimit = celcost.ExpressionLimit
	// DefaultSchemaLimit is what all expressions of a schema may cost.
	DefaultSchemaLimit = celcost.SchemaLimit
)

// Check returns what kube-apiserver has against the rules of n and below when a
// definition with them is created or updated. It is nil if the server has
// nothing against them. A nil n has no rules.
//
// The rules are taken for new, unless [Preexisting] names them. Errors are those
// of [CheckSyntax]; then, for every schema that has none there and below,
// expressions that do not compile, that cost too much, and that refer to
// oldSelf in vain; then what is wrong with the total. They come in the order of
// the server: what is below a schema before the schema, which means
// additionalProperties, properties by name, items, and then its own rules.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
func Check(n *schema.Node, opts ...Option) field.ErrorList {
	o := newCompileOptions(opts)
	if o.wrong != nil {
		return field.ErrorList{o.wrong}
	}
	return celcost.Check(n, o.Options)
}

// CheckSyntax returns what kube-apiserver has against rules before it compiles
// any: texts that are blank or broken into lines, unknown reasons, and a
// fieldPath that leads nowhere. It is nil if there is nothing. path is that of
// the schema which the rules belong to, and n the schema; if that is nil,
// because it is not structural, where a fieldPath leads is not looked at.
func CheckSyntax(rules []schema.Rule, n *schema.Node, path *field.Path) field.ErrorList {
	return celcost.CheckSyntax(rules, n, path)
}
