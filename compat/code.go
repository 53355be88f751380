package compat

import "slices"

// A Code is the subject of a finding. Codes do not change. [Code.Description] says what each
// code means.
type Code string

// The codes of findings about schemas. Those with the name of a keyword are about a change of
// that keyword.
const (
	Proved                Code = "proved"
	Undecided             Code = "undecided"
	Contradiction         Code = "contradiction"
	Refused               Code = "refused"
	Pruned                Code = "pruned"
	Changed               Code = "changed"
	Defaulted             Code = "defaulted"
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
	DefinitionRefused     Code = "definition"
	ScopeChanged          Code = "scope"
	KindChanged           Code = "kind"
	NamesChanged          Code = "names"
	NamesAdded            Code = "namesAdded"
	VersionAdded          Code = "versionAdded"
	VersionRemoved        Code = "versionRemoved"
	StoredVersionRemoved  Code = "storedVersionRemoved"
	VersionServed         Code = "served"
	VersionNotServed      Code = "notServed"
	VersionDeprecated     Code = "deprecated"
	StorageVersionChanged Code = "storageVersion"
	StatusSubresource     Code = "statusSubresource"
	ScaleSubresource      Code = "scaleSubresource"
	SelectableField       Code = "selectableField"
	PrinterColumn         Code = "printerColumn"
	ConversionChanged     Code = "conversion"
	Description           Code = "description"
)

// The codes of findings about lists and maps. PreserveUnknownFields is also the code of
// findings about spec.preserveUnknownFields.
const (
	ListMapKeys           Code = "listMapKeys"
	MapType               Code = "mapType"
	PreserveUnknownFields Code = "preserveUnknownFields"
)

// The codes of findings with [Conventions].
const (
	NewBoolean         Code = "newBoolean"
	NewNumber          Code = "newNumber"
	NewUnsigned        Code = "newUnsigned"
	NewMap             Code = "newMap"
	NewListWithoutType Code = "newListWithoutType"
	NewConditions      Code = "newConditions"
	NewStatus          Code = "newStatus"
)

// Description returns what a finding with the code says, as a sentence without a period.
// It is "" for an unknown code.
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
		{Proved, "Nothing differs for the role"},
		{Undecided, "Neither a proof nor a witness was found"},
		{Contradiction, "An object contradicts a proof, which is a bug in crdkit"},
		{Refused, "The new definition refuses what the old one admitted"},
		{Pruned, "The new definition removes a field that the old one kept"},
		{Changed, "The new definition stores or serves another value"},
		{Defaulted, "The new definition adds a value that the old one did not"},
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
		{ListMapKeys, "x-kubernetes-list-map-keys changes"},
		{MapType, "x-kubernetes-map-type changes"},
		{CodeEmbedded, "x-kubernetes-embedded-resource changes"},
		{CodeRuleRemoved, "a rule is gone or rewritten, and more values may be admitted"},
		{CodeRuleRedundant, "a new rule holds for every value that its schema admits"},
		{CodeRuleNever, "a new rule holds for no value that its schema admits"},
		{CodeRuleContradiction, "no value satisfies a new rule and another one"},
		{CodeScale, "a number of replicas must not be negative any more, because of the scale subresource"},
		{PreserveUnknownFields, "Unknown fields are kept, or are not kept any more"},
		{DefinitionRefused, "The server refuses the new definition in place of the old one"},
		{KindChanged, "The kind of the objects changes"},
		{ScopeChanged, "Namespaced objects become cluster-scoped, or the other way round"},
		{NamesChanged, "A name under which clients find the objects is removed or changed"},
		{NamesAdded, "There are further short names or categories"},
		{VersionAdded, "The version is new"},
		{VersionRemoved, "The new definition lacks the version"},
		{StoredVersionRemoved, "The new definition lacks a version at which objects are stored"},
		{VersionServed, "The version is served now"},
		{VersionNotServed, "The version is not served any more"},
		{VersionDeprecated, "The version is deprecated now"},
		{StorageVersionChanged, "Objects are written at another version"},
		{StatusSubresource, "The status subresource is added or removed"},
		{ScaleSubresource, "The scale subresource or its paths change"},
		{SelectableField, "A field can be selected, or cannot any more"},
		{PrinterColumn, "kubectl get prints other columns"},
		{ConversionChanged, "The strategy or the webhook of conversions changes"},
		{Description, "The description of fields changes"},
		{NewBoolean, "A new field is a boolean"},
		{NewNumber, "A new field is a floating-point number"},
		{NewUnsigned, "A new field has an unsigned format"},
		{NewMap, "A new field is a map"},
		{NewListWithoutType, "A new list has no x-kubernetes-list-type"},
		{NewConditions, "New conditions are not a list like metav1.Condition with the key type"},
		{NewStatus, "A new status is without the status subresource"},
	}
}
