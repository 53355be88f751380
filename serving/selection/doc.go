// Package selection selects custom resources by fields and labels, as list and watch
// requests do.
//
// This package is experimental.
//
//	f, err := selection.New(version.SelectableFields, crd.Spec.Scope)
//	if err != nil {
//		return err // unknown scope
//	}
//	byField, err := f.Parse("spec.color=blue,metadata.namespace!=default") // ?fieldSelector=
//	if err != nil {
//		return err // a bad request
//	}
//	ok, err := f.Matches(obj, labels.Everything(), byField)
//
// # Semantics
//
// A field selector may name metadata.name, metadata.namespace for objects in namespaces, and the
// selectable fields of the version, without the dot at the start of their paths. It compares fields
// with text, by = (or ==) and !=. It selects an object if all comparisons hold. A selector that
// names another field is a bad request.
//
// Values are compared as Go prints them: numbers in decimal, booleans as true and false. An absent
// or null field counts as the empty text, and so does a field below it.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#crd-selectable-fields
// and https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/.
//
// # Differences from Kubernetes
//
// As on the server, the path of a selectable field is a JSON path, so that spaces, stars and some
// other characters of property names have a meaning. If a path does not fit the object, the error
// has another text than on the server.
//
// # Concurrency and ownership
//
// [Fields] do not change and are safe for concurrent use. They do not change objects.
package selection
