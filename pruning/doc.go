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
// A Pruner looks at the Go type of a value, not at the declared type:
//
//   - Scalars and null are kept.
//   - A map entry whose name is in properties is pruned by the schema of that
//     property. Any other entry is pruned by additionalProperties if that is
//     declared, and removed if it is not.
//   - List elements are pruned by items. Lists never lose elements.
//   - Maps without a schema lose all entries. These are maps in a list without items, below
//     a boolean additionalProperties (true or false), or where a scalar is declared.
//
// Where [x-kubernetes-preserve-unknown-fields] is true, undeclared entries are kept with
// everything in them. Items inherit the setting. The schemas in properties and
// additionalProperties do not inherit it.
//
// Pruning does not change apiVersion, kind and metadata of the object and of
// [embedded resources] in it.
//
// # Reports
//
// [Pruner.PruneAndReport] returns the path of each removed field, in increasing order of
// [schema.Path.String]. The server's warnings spell paths in the same way. The report does
// not list what a removed field contained. Map entries count as fields.
//
// With the option [Fragment], apiVersion, kind and metadata of the object are removed if
// the schema does not declare them. The report omits these three, unless the schema is nil.
//
// # Differences from Kubernetes
//
// The results are the same.
//
// # Concurrency and ownership
//
// A [Pruner] never changes and is safe for concurrent use. Prune and PruneAndReport change
// the object in place. The object must be a tree: no two parts of it share a map or slice.
// No other goroutine may use it during the call. Neither method can fail. Go values that
// decoded JSON cannot contain count as scalars. Prune does not allocate.
//
// [field pruning]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
// [x-kubernetes-preserve-unknown-fields]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#controlling-pruning
// [embedded resources]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension
package pruning
