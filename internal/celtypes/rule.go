package celtypes

import (
	"strings"

	"github.com/crdkit/crdkit/schema"
)

func HasRules(n *schema.Node) bool { return n != nil && n.Facts().Has(schema.HasRules) }

func IsMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

func Correlates(n *schema.Node) bool {
	switch t, declared := n.MapType(); t {
	case "granular", "atomic":
		return true
	default:
		return !declared
	}
}

// A ruleValue is how the server prints a rule in an error: with the Go names of
// the fields of its internal type.
type ruleValue struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            *string
	FieldPath         string
	OptionalOldSelf   *bool
}

func RuleValueOf(r *schema.Rule) ruleValue {
	v := ruleValue{Rule: r.Rule, Message: r.Message, MessageExpression: r.MessageExpression, FieldPath: r.FieldPath}
	if reason := r.Reason; reason != "" || r.SetReason {
		v.Reason = &reason
	}
	if r.SetOptionalOldSelf {
		optional := r.OptionalOldSelf
		v.OptionalOldSelf = &optional
	}
	return v
}

// IsBlank reports whether a rule is empty. The server runs no such rule.
func IsBlank(text string) bool { return strings.TrimSpace(text) == "" }
