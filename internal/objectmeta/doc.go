// Package objectmeta decodes, writes and checks the metadata of custom
// resources: that of the object itself and that of the resources embedded in
// it.
//
// kube-apiserver knows no other field of a custom resource by its Go type.
// Metadata it decodes into ObjectMeta, by way of JSON, on every request and on
// every read from storage, and writes it back as ObjectMeta is written. This
// package comes to the same result, but takes the way through JSON only where
// something might change on it.
//
// # Semantics
//
// [Decode] and [Meta.Restore] are the two halves of what the server does to
// the metadata of an object. Metadata is decoded before the object is pruned
// and null members are dropped, and written back after embedded resources were
// coerced, so that a schema for metadata cannot change what is stored.
//
//   - Fields that ObjectMeta does not have are dropped, and reported if that is
//     asked for. Case matters. At most 100 are reported.
//   - Metadata of null becomes an empty object. No metadata stays no metadata.
//   - Empty strings, lists and maps, a generation of 0, null, and the zero
//     creationTimestamp are left out. An owner reference always has apiVersion,
//     kind, name and uid.
//   - Times are written in UTC and whole seconds.
//   - A field of the wrong type is an error with the text of the decoder, such
//     as "json: cannot unmarshal number into Go struct field ObjectMeta.labels
//     of type string". With [Options.DropInvalid], which stands for reading
//     from storage, the whole top-level field is dropped instead.
//   - [Meta.RepairGeneration] makes a generation of 0 one of 1, for storage too.
//
// An [Embedded] does the same for the values of schemas with
// x-kubernetes-embedded-resource, and asks that their apiVersion and kind be
// strings ([Embedded.Coerce]); and it checks all three, by the rules for new
// objects but without asking for a name ([Embedded.Validate]). It visits only
// values that the schema declares: below x-kubernetes-preserve-unknown-fields
// nothing is looked at.
//
// [ValidateCreate] and [ValidateUpdate] are the checks of metadata by the
// strategy for custom resources; the strategy for the status subresource uses
// the latter. The generic registry checks metadata too, which users see as well:
//
//   - [ValidateCommonCreate] after a new object passed every other check,
//     rules included.
//   - [ValidateCommonUpdate] before the strategy checks an update, and in
//     addition to it. Most of what both find is in the response twice as a
//     cause, and once in its message. Only the registry checks finalizers, and
//     the name and namespace for what they are, on updates.
//
// Before these checks metadata is prepared by [PrepareCreate], [PrepareUpdate]
// or [PrepareStatusUpdate], and there is one more way for a request to fail:
// [MatchNamespace].
//
// See
// https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/
// and
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension.
//
// # Shortcuts
//
// Metadata whose members all are spelled as they are written is left as it is,
// without a copy; members that stand for nothing are removed from it. Everything
// else goes through JSON and ObjectMeta. Likewise metadata that is plainly
// right is not handed to the rules of apimachinery. Both are decided without an
// allocation. [Options.Reference] and the option [Reference] switch the
// shortcuts off; [ValidateCreate] and [ValidateUpdate] are [ValidCreate] and
// [ValidUpdate] followed by the rules.
//
// # Differences from Kubernetes
//
// Errors are sorted by field, type and detail, and the first one of a coercion
// or a conversion is the first by the names of members; upstream it depends on
// the order of a map. Errors have a pointer to the exact label, annotation or
// finalizer. RepairGeneration does nothing to an object without metadata, which
// upstream does not survive.
//
// What only a server can know is not made up. A new object gets no uid and no
// creationTimestamp, managedFields stay as they were sent, no name is made of a
// generateName, and the generation alone is set. An object without a name is
// therefore found invalid by ValidateCreate, as it would be by the server had
// it no generateName; a caller that wants names generates one before. The
// server answers an update whose uid or resourceVersion is not that of the
// stored object with a conflict, before any of the checks here; the check that
// the uid does not change is thus for callers who have no such precondition.
//
// # Concurrency and ownership
//
// An [Embedded] never changes and may be used by any number of goroutines.
// Functions that coerce, restore or prepare change the object in place; nothing
// else changes its arguments. Metadata that needs no change remains the map
// that it was. Returned paths share no memory with anything; errors may hold
// parts of the object as their value. A [Meta] belongs to one goroutine.
package objectmeta
