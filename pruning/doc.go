// Package pruning removes the fields of an object that its schema does not declare.
//
// kube-apiserver removes undeclared fields when an object is created, updated or read back.
// A [Pruner] does the same to a decoded object. See [field pruning].
//
//	node, errs := schema.Compile(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
//	if len(errs) > 0 {
//		return errs.ToAggregate()
//	}
//	p := pruning.New(node) // once per schema
//
//	p.Prune(obj) // removes from obj what the schema does not declare
//
//	for _, path := range p.PruneAndReport(other) { // removes and reports
//		log.Printf("unknown field %q", path)
//	}
//
// # Semantics
//
// The schema of a value and the type of the value decide, not the declared type:
//
//   - Scalars and null stay as they are.
//   - A map entry whose name is in properties is pruned by the schema of that
//     property. Any other entry is pruned by additionalProperties if that is
//     declared, and removed if it is not.
//   - List elements are pruned by items. Lists never lose elements.
//   - Without a schema, maps lose all entries: in elements of a list without items, in
//     values below a boolean additionalProperties (true or false), and in maps for which a
//     scalar is declared.
//
// Where [x-kubernetes-preserve-unknown-fields] is true, undeclared entries stay with
// everything in them. Declared properties and additionalProperties are pruned again, unless
// they preserve unknown fields themselves. Only items inherit preservation from the list.
//
// Pruning neither removes nor enters apiVersion, kind and metadata of the object and of
// [embedded resources] in it.
//
// # Reports
//
// [Pruner.PruneAndReport] returns the path of each removed field, in increasing order of
// [schema.Path.String], which is the spelling of the server's warnings. It does not list
// what a removed field contained. Map entries count as fields.
//
// With the option [Fragment] the object is not a resource, so its apiVersion, kind and
// metadata are removed if the schema does not declare them. The report omits these three,
// unless there is no schema at all.
//
// # Differences from Kubernetes
//
// The results are the same.
//
// # Concurrency and ownership
//
// A [Pruner] never changes and is safe for concurrent use. Prune and
// PruneAndReport change the object in place. The object belongs to the caller,
// must be a tree, and must not be used by another goroutine during the call.
// Both methods walk the object once and cannot fail. They treat values of Go
// types that JSON does not decode to as scalars. Prune does not allocate.
//
// [field pruning]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
// [x-kubernetes-preserve-unknown-fields]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#controlling-pruning
// [embedded resources]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension
package pruning
