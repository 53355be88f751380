package compat

import "slices"

// A Code is the subject of a finding. Codes are stable. [Code.Description] explains each code.
type Code string

// The codes of findings about schemas. A code with the name of a keyword is about a change of the
// keyword.
const (
	CodeProved            Code = "proved"
	CodeUndecided         Code = "undecided"
	CodeContradiction     Code = "contradiction"
	CodeRefused           Code = "refused"
	CodePruned            Code = "pruned"
	CodeChanged           Code = "changed"
	CodeDefaulted         Code = "defaulted"
	CodeType              Code = "type"
	CodeNullable          Code = "nullable"
	CodeFormat            Code = "format"
	CodePattern           Code = "pattern"
	CodeMinimum           Code = "minimum"
	CodeMaximum           Code = "maximum"
	CodeMultipleOf        Code = "multipleOf"
	CodeMinLength         Code = "minLength"
	CodeMaxLength         Code = "maxLength"
	CodeMinItems          Code = "minItems"
	CodeMaxItems          Code = "maxItems"
	CodeUniqueItems       Code = "uniqueItems"
	CodeMinProperties     Code = "minProperties"
	CodeMaxProperties     Code = "maxProperties"
	CodeEnum              Code = "enum"
	CodeRequired          Code = "required"
	CodeListType          Code = "listType"
	CodeAllOf             Code = "allOf"
	CodeAnyOf             Code = "anyOf"
	CodeOneOf             Code = "oneOf"
	CodeNot               Code = "not"
	CodeRule              Code = "rule"
	CodeTransition        Code = "transitionRule"
	CodeRuleRemoved       Code = "ruleRemoved"
	CodeRuleRedundant     Code = "ruleRedundant"
	CodeRuleNever         Code = "ruleNever"
	CodeRuleContradiction Code = "ruleContradiction"
	CodeProperty          Code = "property"
	CodeUnknownFields     Code = "unknownFields"
	CodeEmbedded          Code = "embeddedResource"
	CodeDefault           Code = "default"
	CodeScale             Code = "scale"
)

// The codes of findings about the definition outside of its schemas.
const (
	CodeDefinition           Code = "definition"
	CodeScope                Code = "scope"
	CodeKind                 Code = "kind"
	CodeNames                Code = "names"
	CodeNamesAdded           Code = "namesAdded"
	CodeVersionAdded         Code = "versionAdded"
	CodeVersionRemoved       Code = "versionRemoved"
	CodeStoredVersionRemoved Code = "storedVersionRemoved"
	CodeServed               Code = "served"
	CodeNotServed            Code = "notServed"
	CodeDeprecated           Code = "deprecated"
	CodeStorageVersion       Code = "storageVersion"
	CodeStatusSubresource    Code = "statusSubresource"
	CodeScaleSubresource     Code = "scaleSubresource"
	CodeSelectableField      Code = "selectableField"
	CodePrinterColumn        Code = "printerColumn"
	CodeConversion           Code = "conversion"
	CodeDescription          Code = "description"
)

// The codes of findings about lists and maps. CodePreserveUnknownFields is also the code of
// findings about spec.preserveUnknownFields.
const (
	CodeListMapKeys           Code = "listMapKeys"
	CodeMapType               Code = "mapType"
	CodePreserveUnknownFields Code = "preserveUnknownFields"
)

// The codes of the findings that [Conventions] adds.
const (
	CodeNewBoolean         Code = "newBoolean"
	CodeNewNumber          Code = "newNumber"
	CodeNewUnsigned        Code = "newUnsigned"
	CodeNewMap             Code = "newMap"
	CodeNewListWithoutType Code = "newListWithoutType"
	CodeNewConditions      Code = "newConditions"
	CodeNewStatus          Code = "newStatus"
)

// Description returns what a finding with the code says, as a sentence without a period. It returns
// "" for an unknown code.
func (c Code) Description() string {
	i := slices.IndexFunc(codes(), func(d describedCode) bool { return d.code == c })
	if i < 0 {
		return ""
	}
	return codes()[i].text
}

// Codes returns all codes, in the order of the documentation. The slice belongs to the
// caller.
func Codes() []Code {
	var out []Code
	for _, d := range codes() {
		out = append(out, d.code)
	}
	return out
}

type describedCode struct {
	code Code
	text string
}

func codes() []describedCode {
	return []describedCode{
		{CodeProved, "Nothing differs for the role"},
		{CodeUndecided, "Neither a proof nor a witness was found"},
		{CodeContradiction, "An object contradicts a proof, which is a bug in crdkit"},
		{CodeRefused, "The new definition refuses what the old one admitted"},
		{CodePruned, "The new definition removes a field that the old one kept"},
		{CodeChanged, "The new definition stores or serves another value"},
		{CodeDefaulted, "The new definition adds a value that the old one did not"},
		{CodeType, "The type changes"},
		{CodeNullable, "null is admitted, or is not admitted any more"},
		{CodeFormat, "The format of a string changes"},
		{CodePattern, "The pattern of a string changes"},
		{CodeMinimum, "The minimum of a number changes"},
		{CodeMaximum, "The maximum of a number changes"},
		{CodeMultipleOf, "multipleOf changes"},
		{CodeMinLength, "The minimal length of a string changes"},
		{CodeMaxLength, "The maximal length of a string changes"},
		{CodeMinItems, "The minimal length of a list changes"},
		{CodeMaxItems, "The maximal length of a list changes"},
		{CodeUniqueItems, "The elements of a list must be unique, or need not be any more"},
		{CodeMinProperties, "The minimal number of properties changes"},
		{CodeMaxProperties, "The maximal number of properties changes"},
		{CodeEnum, "The values of an enum change"},
		{CodeRequired, "A field becomes required, or is not required any more"},
		{CodeAllOf, "allOf changes"},
		{CodeAnyOf, "anyOf changes"},
		{CodeOneOf, "oneOf changes"},
		{CodeNot, "not changes"},
		{CodeRule, "A rule is added, removed or changed"},
		{CodeTransition, "A rule about updates is added, removed or changed"},
		{CodeProperty, "A property is not declared any more"},
		{CodeUnknownFields, "Unknown fields are not kept any more"},
		{CodeDefault, "A default is added, removed or changed"},
		{CodeListType, "x-kubernetes-list-type changes"},
		{CodeListMapKeys, "x-kubernetes-list-map-keys changes"},
		{CodeMapType, "x-kubernetes-map-type changes"},
		{CodeEmbedded, "x-kubernetes-embedded-resource changes"},
		{CodeRuleRemoved, "a rule is gone or rewritten, and more values may be admitted"},
		{CodeRuleRedundant, "a new rule holds for every value that its schema admits"},
		{CodeRuleNever, "a new rule holds for no value that its schema admits"},
		{CodeRuleContradiction, "no value satisfies a new rule and another one"},
		{CodeScale, "a negative number of replicas is refused, because of the scale subresource"},
		{CodePreserveUnknownFields, "Unknown fields are kept, or are not kept any more"},
		{CodeDefinition, "The server refuses the new definition in place of the old one"},
		{CodeKind, "The kind of the objects changes"},
		{CodeScope, "Namespaced objects become cluster-scoped, or the other way round"},
		{CodeNames, "A name under which clients find the objects is removed or changed"},
		{CodeNamesAdded, "There are further short names or categories"},
		{CodeVersionAdded, "The version is new"},
		{CodeVersionRemoved, "The new definition lacks the version"},
		{CodeStoredVersionRemoved, "The new definition lacks a version at which objects are stored"},
		{CodeServed, "The version is served now"},
		{CodeNotServed, "The version is not served any more"},
		{CodeDeprecated, "The version is deprecated now"},
		{CodeStorageVersion, "Objects are written at another version"},
		{CodeStatusSubresource, "The status subresource is added or removed"},
		{CodeScaleSubresource, "The scale subresource or its paths change"},
		{CodeSelectableField, "A field can be selected, or cannot any more"},
		{CodePrinterColumn, "kubectl get prints other columns"},
		{CodeConversion, "The strategy or the webhook of conversions changes"},
		{CodeDescription, "The description of fields changes"},
		{CodeNewBoolean, "A new field is a boolean"},
		{CodeNewNumber, "A new field is a floating-point number"},
		{CodeNewUnsigned, "A new field has an unsigned format"},
		{CodeNewMap, "A new field is a map"},
		{CodeNewListWithoutType, "A new list has no x-kubernetes-list-type"},
		{CodeNewConditions, "New conditions are not a list like metav1.Condition with the key type"},
		{CodeNewStatus, "A new status is without the status subresource"},
	}
}
