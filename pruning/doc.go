// Package pruning removes the fields of an object that its schema does not
// declare.
//
// kube-apiserver stores no field that a definition says nothing about: when an
// object is created, updated or read back, undeclared fields are taken out,
// silently or with a warning for each. A [Pruner] does the same to a decoded
// object. See [field pruning] for the feature as a whole.
//
//	p := pruning.New(node)
//	p.Prune(obj)            // obj has lost what node does not declare
//	removed := p.PruneAndReport(obj) // the same, and says what was lost
//
// # Semantics
//
// A value is pruned by the schema of its place. The declared type is of no
// concern, only what the value is:
//
//   - Scalars and null stay as they are.
//   - Of a map, entries whose name is in properties are pruned by the schema
//     declared there. All others are pruned by additionalProperties if there
//     is such a thing, and are removed if not.
//   - Elements of a list are pruned by items. Lists never lose elements.
//   - Where no schema is declared, maps lose everything: elements of a list
//     without items, values below a boolean additionalProperties, be it true
//     or false, and maps where a scalar is declared. The map itself remains,
//     empty; it is for validation to complain about its type.
//
// Where [x-kubernetes-preserve-unknown-fields] is true, entries that are not
// declared stay, with everything in them. Pruning resumes inside of declared
// properties and of additionalProperties, which have to ask for preservation
// anew. Only items inherit it from the list they are in.
//
// A resource has apiVersion, kind and metadata, whatever its schema says:
// pruning neither removes them nor looks into them. That holds for the object
// as a whole and for [embedded resources] in it.
//
// # Reports
//
// [Pruner.PruneAndReport] returns the path of each field that was removed, in
// increasing order of [schema.Path.String], which spells paths the way the
// server's warnings do. What was inside of a removed field is not listed. The
// paths consist of fields and indices; entries of a map count as fields.
//
// With [Fragment] the object as given is not a resource, so that nothing
// protects its apiVersion, kind and metadata. If they are not declared they
// are removed. As in the server, the report passes over these three in
// silence, unless there is no schema at all.
//
// # Differences from Kubernetes
//
// The results are the same. The server looks up every field of the object in
// the schema. A Pruner compiles the schema first. Where that is faster, it looks
// up the fields of the schema in the object.
//
// # Concurrency and ownership
//
// A [Pruner] never changes and is safe for concurrent use. Prune and PruneAndReport
// change the object in place; it belongs to the caller, must be a tree, and
// must not be used by anyone else meanwhile. Both return after one walk over
// the object, cannot fail, and take values of other types than JSON has for
// scalars. Prune does not allocate. The paths of a report are the caller's.
//
// [field pruning]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
// [x-kubernetes-preserve-unknown-fields]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#controlling-pruning
// [embedded resources]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension
package pruning
