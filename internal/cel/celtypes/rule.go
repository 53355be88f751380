package celtypes

import (
	"strings"

	"github.com/crdkit/crdkit/schema"
)

// HasRules reports whether n or a schema below it has rules. A nil n has none.
func HasRules(n *schema.Node) bool { return n != nil && n.Facts().Has(schema.HasRules) }

// IsMeta reports whether a field is implied at the root of a resource.
func IsMeta(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" }

// Correlates reports whether entries of an object of n correlate with those of the
// old object. They do not if the map type is unknown.
func Correlates(n *schema.Node) bool {
	switch t, declared := n.MapType(); t {
	case "granular", "atomic":
		return true
	default:
		return !declared
	}
}

// A RuleValue is how the server prints a rule in an error: with the Go names of
// the fields of its internal type.
type RuleValue struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            *string
	FieldPath         string
	OptionalOldSelf   *bool
}

// RuleValueOf returns r as errors show it.
func RuleValueOf(r *schema.Rule) RuleValue {
	v := RuleValue{Rule: r.Rule, Message: r.Message, MessageExpression: r.MessageExpression, FieldPath: r.FieldPath}
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
