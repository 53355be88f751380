package definition

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/celcost"
	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A ruleWalk checks the parts of the rules of one schema that need no compilation.
// [celcost.CheckRule] owns the checks. Here the schema need not be structural, so that a
// fieldPath is followed in the schema as it is written.
type ruleWalk struct {
	*walk
	schema *apiextensionsv1.JSONSchemaProps

	judged, convertible bool // whether the server can convert schema, once judged
}

func (w *ruleWalk) check(r *apiextensionsv1.ValidationRule, at *pathstack.Chain) {
	rule := schema.Rule{Rule: r.Rule, Message: r.Message, MessageExpression: r.MessageExpression, FieldPath: r.FieldPath}
	if r.Reason != nil {
		rule.Reason, rule.SetReason = string(*r.Reason), true
	}
	w.add(celcost.CheckRule(&rule, func() *field.Path { return at.Path() }, w.follow)...)
}

// follow returns an error if a fieldPath leads nowhere. The server does not look up paths
// in a schema that it cannot convert.
func (w *ruleWalk) follow(fieldPath string) error {
	start := *w.schema // a copy, so that only schemas with such rules escape
	err := crdpath.FollowField(fieldPath, &crdpath.PropsCursor{At: &start}, crdpath.DotsAndBrackets)
	if err == nil || w.ruled {
		return err
	}
	if !w.judged {
		w.judged, w.convertible = true, inconvertible(w.schema, w.cfg.watch) == ""
	}
	if !w.convertible {
		return nil
	}
	return err
}
