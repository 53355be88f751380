package schema

// A Rule is one entry of x-kubernetes-validations, as data.
// Package validation/cel compiles and runs it.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
type Rule struct {
	Rule              string // CEL expression
	Message           string // fixed text of the failure
	MessageExpression string // CEL expression for the text of the failure
	Reason            string // a value of apiextensions/v1.FieldValueErrorReason, "" for none
	FieldPath         string // path below the node to report the failure at
	// SetReason tells a declared reason that is "", which no definition may have,
	// from an absent field. It need not be set for other reasons.
	SetReason bool
	// OptionalOldSelf says whether oldSelf is an optional. SetOptionalOldSelf
	// tells a declared false from an absent field.
	OptionalOldSelf, SetOptionalOldSelf bool
}
