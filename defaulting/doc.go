// Package defaulting sets the defaults that a schema declares, and drops the
// nulls that would prevent them.
//
// kube-apiserver drops nulls, then sets defaults, in every object it decodes. After a
// mutating webhook it only sets defaults, and after a conversion it only drops nulls. See
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
// [Defaulter.DropNulls] removes a map entry if its value is null and its schema is not
// nullable and declares no default. The schema is the property of that name, or else
// additionalProperties. Entries without a schema stay, and so do null elements of lists.
//
// [Defaulter.Default] starts at the root and goes down. In every map it sets the properties
// that have a default and are absent, or are null without being nullable. Then it enters
// all values, including those it just set, so a default of {} gets the defaults of the
// properties below it. If additionalProperties or items declares a default and is not
// nullable, the default replaces null values of the map or null elements of the list. Nulls
// inside of a default are never dropped. They are replaced only if the schema does not
// admit them.
//
// The schema of a value and its Go type decide, not the declared type. The default of the
// root has no effect, and neither has anything below allOf, anyOf, oneOf and not.
//
// # Reports
//
// [Defaulter.DropNullsAndReport] and [Defaulter.DefaultAndReport] change the object in the
// same way and return the path of each null that they dropped, or of each value that they
// set, in increasing order of [schema.Path.String]. Values inside of a value that was set
// are not listed. Map entries count as fields.
//
// # Differences from Kubernetes
//
// The server prunes the declared defaults in the schema before it serves a
// definition. A Defaulter takes the schema as it is.
//
// # Concurrency and ownership
//
// A [Defaulter] never changes and is safe for concurrent use. Its methods change the object
// in place. The object belongs to the caller, must be a tree, and must not be used by
// another goroutine during the call. Values that are set are copies. A nil map stays nil.
//
// [defaulting]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting
// [defaulting and nullable]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
package defaulting
