package compat

// The codes of findings about the definition outside of its schemas.
const (
	// DefinitionRefused: the server refuses the new definition in place of the old one.
	DefinitionRefused Code = "definition"
	// ScopeChanged: namespaced objects become cluster-scoped or the other way round.
	ScopeChanged Code = "scope"
	// KindChanged: the kind of the objects changes.
	KindChanged Code = "kind"
	// NamesChanged: a name under which clients find the objects is removed or changed.
	NamesChanged Code = "names"
	// NamesAdded: there are further short names or categories.
	NamesAdded Code = "namesAdded"
	// VersionAdded: the old definition lacks the version.
	VersionAdded Code = "versionAdded"
	// VersionRemoved: the new definition lacks the version.
	VersionRemoved Code = "versionRemoved"
	// StoredVersionRemoved: the new definition lacks a version at which objects are
	// stored.
	StoredVersionRemoved Code = "storedVersionRemoved"
	// VersionServed: the old definition did not serve the version.
	VersionServed Code = "served"
	// VersionNotServed: the new definition has the version and does not serve it.
	VersionNotServed Code = "notServed"
	// VersionDeprecated: the server warns every client of the version.
	VersionDeprecated Code = "deprecated"
	// StorageVersionChanged: objects are written at another version.
	StorageVersionChanged Code = "storageVersion"
	// StatusSubresource: status becomes a subresource, or is none any more.
	StatusSubresource Code = "statusSubresource"
	// ScaleSubresource: the scale subresource or its paths change.
	ScaleSubresource Code = "scaleSubresource"
	// SelectableField: a field can be selected, or cannot any more.
	SelectableField Code = "selectableField"
	// PrinterColumn: kubectl get prints other columns.
	PrinterColumn Code = "printerColumn"
	// ConversionChanged: the strategy or the webhook of conversions changes.
	ConversionChanged Code = "conversion"
	// Description: the description of fields changes.
	Description Code = "description"
)

// The codes of findings about lists and maps. PreserveUnknownFields is also the code
// of findings about spec.preserveUnknownFields.
const (
	// ListMapKeys: x-kubernetes-list-map-keys changes.
	ListMapKeys Code = "listMapKeys"
	// MapType: x-kubernetes-map-type changes.
	MapType Code = "mapType"
	// PreserveUnknownFields: x-kubernetes-preserve-unknown-fields changes.
	PreserveUnknownFields Code = "preserveUnknownFields"
)

// The codes of findings with [Conventions].
const (
	// NewBoolean: a new field is a boolean.
	NewBoolean Code = "newBoolean"
	// NewNumber: a new field is a floating-point number.
	NewNumber Code = "newNumber"
	// NewUnsigned: a new field has an unsigned format.
	NewUnsigned Code = "newUnsigned"
	// NewMap: a new field is a map.
	NewMap Code = "newMap"
	// NewListWithoutType: a new list has no x-kubernetes-list-type.
	NewListWithoutType Code = "newListWithoutType"
	// NewConditions: new conditions are not a list like metav1.Condition with the key type.
	NewConditions Code = "newConditions"
	// NewStatus: a new version or field status is without the status subresource.
	NewStatus Code = "newStatus"
)
