package schema

// A Rule is one entry of x-kubernetes-validations, as data. Package
// validation/cel compiles and evaluates it.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
type Rule struct {
	Rule              string // CEL expression
	Message           string // fixed message of the error
	MessageExpression string // CEL expression for the message of the error
	Reason            string // an apiextensions/v1.FieldValueErrorReason, "" for none
	FieldPath         string // path of the error below the node
	// SetReason distinguishes a declared reason of "", which no definition may
	// have, from an absent one. It need not be set for other reasons.
	SetReason bool
	// OptionalOldSelf makes oldSelf an optional. SetOptionalOldSelf
	// distinguishes a declared false from an absent field.
	OptionalOldSelf, SetOptionalOldSelf bool
}
