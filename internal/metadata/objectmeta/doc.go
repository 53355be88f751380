// Package objectmeta decodes, writes and checks the metadata of custom resources:
// of the object itself and of the resources embedded in it.
//
// Metadata is the only field of a custom resource for which kube-apiserver has a
// Go type. On every request and every read from storage it decodes metadata
// through JSON into ObjectMeta and writes it back. This package has the same
// result, but goes through JSON only if that might change something.
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
// [Decode] and [Decoded.Restore] are the two halves of what the server does to the
// metadata of an object. Metadata is decoded before the object is pruned and
// nulls are dropped. It is written back after embedded resources are coerced.
// So a schema for metadata cannot change what is stored.
//
//   - Fields that ObjectMeta does not have are dropped, and reported on request,
//     at most 100 of them. Names are case-sensitive.
//   - Metadata of null becomes an empty object. Absent metadata stays absent.
//   - Empty strings, lists and maps, a generation of 0, null, and the zero
//     creationTimestamp are omitted. An owner reference always has apiVersion,
//     kind, name and uid.
//   - Times are written in UTC and whole seconds.
//   - A field of the wrong type is an error with the text of the decoder, such
//     as "json: cannot unmarshal number into Go struct field ObjectMeta.labels
//     of type string". With [Options.DropInvalid], as for reads from storage, the
//     whole top-level field is dropped instead.
//   - [RepairGeneration] changes a generation of 0 to 1, also for storage.
//
// An [Embedded] does the same for the values of schemas with
// x-kubernetes-embedded-resource. It visits only declared values, nothing below
// x-kubernetes-preserve-unknown-fields.
//
// [Meta.PrepareCreate], [Meta.PrepareUpdate] or [Meta.PrepareStatusUpdate] prepares
// metadata, and [Meta.KeepManaged] managed fields before that. [Meta.EnterNamespace]
// compares the namespaces of object and request. Then two parts of the server check
// metadata: [Meta.Validate] is the strategy for custom resources and their status,
// [Meta.ValidateCommon] the generic registry. An error of both is in the response twice
// as a cause, and once in its message.
//
// See
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
// and
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension.
//
// # Maps and text
//
// A [Meta] is read from a map with [Meta.ReadMap] and written to it with [Meta.Write], or
// read from JSON text with [Meta.Read] and written with [Meta.Append]. One set of functions
// reads both (read.go), and the same methods prepare and check them. Text that ObjectMeta
// would write in another form is declined; the caller then decodes it to a map.
//
// [Meta.ValidCreate] and [Meta.ValidUpdate] accept metadata that is certainly valid. The
// rules of apimachinery check the rest, and word the errors.
//
// # Differences from Kubernetes
//
// Errors are sorted by field, type and detail. If a coercion or a conversion has
// several errors, the first in increasing order of member names is returned; in
// the server this depends on the order of a map. Errors have a pointer to the
// exact label, annotation or finalizer. RepairGeneration does nothing to an
// object without metadata; the server panics.
//
// This package does not invent what only a server knows. A new object gets no uid
// and no creationTimestamp, no manager is added to managedFields, and no name is
// generated. Only the generation is set. So Validate refuses a new object
// without a name. A caller that wants generated names sets one before. The server
// answers an update with another uid or resourceVersion than the stored object
// with a conflict, before any check of this package. The check that the uid does
// not change is for callers without that precondition.
//
// # Concurrency and ownership
//
// Functions that coerce, restore or write change the object in place; all others change
// nothing. Metadata that needs no change remains the same map. Returned paths
// belong to the caller. The value of an error may be a part of the object. A
// [Meta] belongs to one goroutine.
package objectmeta
