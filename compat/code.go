package compat

// A Code is the subject of a finding. Codes do not change.
type Code string

// The codes of findings about schemas. Those with the name of a keyword are about
// a change of that keyword.
const (
	// Proved: nothing differs for the role.
	Proved Code = "proved"
	// Undecided: neither a proof nor a witness was found.
	Undecided Code = "undecided"
	// Contradiction: an object contradicts a proof, which is a bug in crdkit.
	Contradiction Code = "contradiction"
	// Refused: the new definition refuses what the old one admitted.
	Refused Code = "refused"
	// Pruned: the new definition removes a field that the old one kept.
	Pruned Code = "pruned"
	// Changed: the new definition stores or serves another value.
	Changed Code = "changed"
	// Defaulted: the new definition adds a value that the old one did not.
	Defaulted Code = "defaulted"

	// The others name the keyword that changed.

	CodeType          Code = "type"
	CodeNullable      Code = "nullable"
	CodeFormat        Code = "format"
	CodePattern       Code = "pattern"
	CodeMinimum       Code = "minimum"
	CodeMaximum       Code = "maximum"
	CodeMultipleOf    Code = "multipleOf"
	CodeMinLength     Code = "minLength"
	CodeMaxLength     Code = "maxLength"
	CodeMinItems      Code = "minItems"
	CodeMaxItems      Code = "maxItems"
	CodeUniqueItems   Code = "uniqueItems"
	CodeMinProperties Code = "minProperties"
	CodeMaxProperties Code = "maxProperties"
	CodeEnum          Code = "enum"
	CodeRequired      Code = "required"
	CodeListType      Code = "listType"
	CodeAllOf         Code = "allOf"
	CodeAnyOf         Code = "anyOf"
	CodeOneOf         Code = "oneOf"
	CodeNot           Code = "not"
	CodeRule          Code = "rule"
	CodeTransition    Code = "transitionRule"
	// CodeRuleRemoved: a rule is gone, so that more values are admitted.
	CodeRuleRemoved Code = "ruleRemoved"
	// CodeRuleRedundant: a new rule holds for every value that its schema admits.
	CodeRuleRedundant Code = "ruleRedundant"
	// CodeRuleNever: a new rule holds for no value that its schema admits.
	CodeRuleNever Code = "ruleNever"
	// CodeRuleContradiction: no value satisfies a new rule and another one.
	CodeRuleContradiction Code = "ruleContradiction"
	// CodeProperty: a property is not declared any more.
	CodeProperty Code = "property"
	// CodeUnknownFields: unknown fields are not kept any more.
	CodeUnknownFields Code = "unknownFields"
	// CodeEmbedded: a value must be a resource.
	CodeEmbedded Code = "embeddedResource"
	CodeDefault  Code = "default"
	// CodeScale: a number of replicas must not be negative.
	CodeScale Code = "scale"
)
