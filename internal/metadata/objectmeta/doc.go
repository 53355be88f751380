// Package objectmeta decodes, writes and checks the metadata of custom resources, and of the
// resources embedded in them.
//
// On every request and every read from storage, kube-apiserver decodes metadata through JSON into
// ObjectMeta and writes it back. This package has the same result, but uses JSON only if JSON might
// change the metadata.
//
//	decoded, unknown, err := objectmeta.Decode(obj, objectmeta.Options{ReportUnknown: true})
//	// prune obj, drop nulls, coerce embedded resources
//	decoded.Restore(obj)
//	var m objectmeta.Meta
//	m.ReadMap(obj)
//	m.PrepareCreate()
//	m.Write(obj)
//	problems := m.Validate(nil, namespaced, nil)
//
// # Semantics
//
// The server decodes metadata before it prunes the object ([Decode]). It writes the metadata back
// after it has coerced embedded resources ([Decoded.Restore]).
//
//   - Fields that ObjectMeta does not have are dropped. On request at most 100 of them are
//     reported.
//   - Metadata of null becomes an empty object. Absent metadata stays absent.
//   - Empty strings, lists and maps, a generation of 0, null, and the zero creationTimestamp
//     are omitted. An owner reference always has apiVersion, kind, name and uid.
//   - Times are written in UTC and whole seconds.
//   - A field of the wrong type is an error with the text of the decoder. With
//     [Options.DropInvalid], as for reads from storage, the whole field is dropped instead.
//   - [RepairGeneration] changes a generation of 0 to 1.
//
// An [Embedded] also decodes the metadata of declared values with x-kubernetes-embedded-resource.
//
// [Meta.PrepareCreate], [Meta.PrepareUpdate] or [Meta.PrepareStatusUpdate] prepares metadata. Call
// [Meta.KeepManaged] before it, and [Meta.EnterNamespace] after it. Then two parts of the server
// check the metadata: the strategy for custom resources ([Meta.Validate]) and the generic registry
// ([Meta.ValidateCommon]). If both find an error, the response has it twice.
//
// See https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/ and
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension.
//
// # Maps and text
//
// A [Meta] is read from a map with [Meta.ReadMap] and written with [Meta.Write], or read from JSON
// text with [Meta.Read] and written with [Meta.Append]. Read declines text that ObjectMeta would
// write in another form. [Meta.ValidCreate] and [Meta.ValidUpdate] accept metadata that is
// certainly valid. The rules of apimachinery check all other metadata, and word the errors.
//
// # Differences from Kubernetes
//
//   - Errors are sorted, and a coercion returns the first error by name. The server's order is
//     random.
//   - RepairGeneration does nothing without metadata. The server panics.
//   - A new object gets no uid, creationTimestamp or manager, and no generated name. A caller
//     sets a name before Validate.
//   - If uid or resourceVersion differs, the server answers with a conflict before any check.
//
// Functions that coerce, restore or write change the object in place; others change nothing.
// Metadata that needs no change remains the same map. The value of an error may be a part of the
// object.
package objectmeta
