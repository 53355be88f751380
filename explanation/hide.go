package explanation

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/path/schemapath"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// hidden stands for a value in the detail of an error.
const hidden = `"…"`

// HideValues returns an error of a request without the values of the object, as
// [WithoutValues] leaves them out of explanations: BadValue is [field.OmitValueType], a
// string is left out of the detail, and what a rule says by a messageExpression, or by
// an error that ended it, is replaced by its message or its text. The paths of the error
// may contain keys of maps.
//
// The other fields are those of err, which is not changed. It returns nil for nil.
func (x *Explainer) HideValues(err *validation.Error) *validation.Error {
	if err == nil {
		return nil
	}
	without := *err.FieldError()
	without.BadValue = field.OmitValueType{}
	if err.Step == validation.StepRules {
		without.Detail = x.valuelessDetail(err)
	} else if value, ok := err.BadValue.(string); ok && !isTypeName(value) {
		without.Detail = strings.ReplaceAll(without.Detail, strconv.Quote(value), hidden)
	}
	out := validation.NewError(&without, err.Step, err.Pointer, err.SchemaPointer)
	out.Rule = err.Rule
	return out
}

// isTypeName reports whether a text is the name of a type, which is the value of an error
// about a wrong type.
func isTypeName(text string) bool {
	switch text {
	case "array", "boolean", "integer", "null", "number", "object", "string":
		return true
	}
	return false
}

// valuelessDetail returns the detail of an error of a rule, without what the rule says about
// the object.
func (x *Explainer) valuelessDetail(err *validation.Error) string {
	l, ok := schemapath.At(x.root, err.SchemaPointer)
	switch {
	case err.Rule < 0, strings.HasPrefix(err.Detail, notCompiled), strings.Contains(err.Detail, overBudget):
		return err.Detail
	case !ok || l.Node == nil || err.Rule >= len(l.Node.Rules()):
		return "a rule failed"
	}
	rule := &l.Node.Rules()[err.Rule]
	if text := failedText(rule); text == err.Detail || rule.MessageExpression != "" {
		return text
	}
	return "an error ended the rule: " + strings.TrimSpace(rule.Rule)
}

// failedText returns what the server says about a rule that is false, without its
// messageExpression.
func failedText(rule *schema.Rule) string {
	if rule.Message != "" {
		return strings.TrimSpace(rule.Message)
	}
	return "failed rule: " + strings.TrimSpace(rule.Rule)
}
