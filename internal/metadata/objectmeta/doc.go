// Package objectmeta decodes, writes and checks the metadata of custom resources:
// of the object itself and of the resources embedded in it.
//
// On every request and every read from storage, kube-apiserver decodes metadata through
// JSON into ObjectMeta and writes it back. This package has the same result, but goes
// through JSON only if that might change something.
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
// [Decode] and [Decoded.Restore] are the two halves of what the server does to metadata:
// before the object is pruned, and after embedded resources are coerced.
//
//   - Fields that ObjectMeta does not have are dropped, and reported on request, at most 100.
//   - Metadata of null becomes an empty object. Absent metadata stays absent.
//   - Empty strings, lists and maps, a generation of 0, null, and the zero creationTimestamp
//     are omitted. An owner reference always has apiVersion, kind, name and uid.
//   - Times are written in UTC and whole seconds.
//   - A field of the wrong type is an error with the text of the decoder. With
//     [Options.DropInvalid], as for reads from storage, the whole field is dropped instead.
//   - [RepairGeneration] changes a generation of 0 to 1, also for storage.
//
// An [Embedded] does the same for declared values with x-kubernetes-embedded-resource.
//
// [Meta.PrepareCreate], [Meta.PrepareUpdate] or [Meta.PrepareStatusUpdate] prepares metadata,
// after [Meta.KeepManaged] and before [Meta.EnterNamespace]. Then two parts of the server
// check it: [Meta.Validate] is the strategy for custom resources, [Meta.ValidateCommon] the
// generic registry. An error of both is twice a cause in the response.
//
// See https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
// and https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension.
//
// # Maps and text
//
// A [Meta] is read from a map with [Meta.ReadMap] and written with [Meta.Write], or read
// from JSON text with [Meta.Read] and written with [Meta.Append]. Text that ObjectMeta
// would write in another form is declined. [Meta.ValidCreate] and [Meta.ValidUpdate] accept
// metadata that is certainly valid. The rules of apimachinery check the rest, and word the
// errors.
//
// # Differences from Kubernetes
//
// Errors are sorted, and a coercion returns the first by names, where the server's order is
// random. RepairGeneration does nothing without metadata, where the server panics. A new
// object gets no uid, creationTimestamp or manager, and no generated name: a caller sets
// one before Validate. The server answers another uid or resourceVersion with a conflict
// before any check.
//
// Functions that coerce, restore or write change the object in place; others change
// nothing. Metadata that needs no change remains the same map. The value of an error may be
// a part of the object. A [Meta] belongs to one goroutine.
package objectmeta
