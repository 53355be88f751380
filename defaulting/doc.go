// Package defaulting sets the defaults that a schema declares, and drops the
// nulls that would prevent them.
//
// kube-apiserver drops nulls and then sets defaults in every object that it decodes. After a
// mutating webhook it only sets defaults. After a conversion it only drops nulls. See
// [defaulting] and [defaulting and nullable].
//
//	node, errs := schema.Compile(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
//	if len(errs) > 0 {
//		return errs.ToAggregate()
//	}
//	d := defaulting.New(node) // once per schema
//
//	d.DropNulls(obj)
//	for _, path := range d.DefaultAndReport(obj) { // or Default, without a report
//		log.Printf("set %s", path)
//	}
//
// # Semantics
//
// [Defaulter.DropNulls] removes a map entry with a null value if the schema of the entry is
// not nullable and has no default. The schema is the property of that name, or else
// additionalProperties. Entries without a schema and null elements of lists are kept.
//
// [Defaulter.Default] starts at the root and goes down:
//
//   - In a map, it sets each property that is absent and has a default. A null counts as
//     absent if the property is not nullable.
//   - If additionalProperties or items has a default and is not nullable, the default
//     replaces null entries of the map or null elements of the list.
//   - Then it enters all values, also the values that it set. So a default of {} gets the
//     defaults of the properties below it.
//   - It never drops a null, not even inside of a default.
//
// DropNulls and Default look at the Go type of a value, not at its declared type. A default of the
// root, or below allOf, anyOf, oneOf or not, has no effect.
//
// # Reports
//
// [Defaulter.DropNullsAndReport] also returns the path of each dropped null.
// [Defaulter.DefaultAndReport] also returns the path of each value that it set, without the
// values inside of it. Paths are in increasing order of [schema.Path.String].
//
// # Differences from Kubernetes
//
// The server prunes the defaults in the schema before it serves a definition. A Defaulter
// uses the schema as it is.
//
// # Concurrency and ownership
//
// A [Defaulter] never changes and is safe for concurrent use. Its methods change the object
// in place. The object must be a tree: no two parts of it share a map or slice. No other
// goroutine may use it during the call. Values that are set are copies. A nil map stays nil.
//
// [defaulting]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
// [defaulting and nullable]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
package defaulting
