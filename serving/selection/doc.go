// Package selection selects custom resources by their fields and labels, as
// list and watch requests do.
//
//	f, err := selection.New(version.SelectableFields, crd.Spec.Scope)
//	sel, err := f.Parse("spec.color=blue,metadata.namespace!=default") // ?fieldSelector=
//	ok, err := f.Matches(obj, labels.Everything(), sel)
//
// # Semantics
//
// A field selector may name metadata.name, for objects in namespaces
// metadata.namespace, and the fields that the version declares as selectable,
// without the dot that their paths begin with. It compares them with texts, by
// = (or ==) and !=, and takes the objects for which all comparisons hold. A
// selector that names any other field is a bad request.
//
// Values are compared as they print: numbers in decimal, booleans as true and
// false. A field that is absent or null, or lies below one that is, is the empty
// text; an object that has the empty text there cannot be told from one that has
// nothing.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#crd-selectable-fields
// and https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/.
//
// # Differences from Kubernetes
//
// Names of properties may hold characters that mean something in a JSON path,
// such as a space or a star, and the server takes a selectable field's path for
// one. So does this package. The path of a field that has more than one value
// then, or does not parse, makes every selection fail, with the server's error;
// only where a path asks for what an object cannot have is the error in other
// words.
//
// # Concurrency and ownership
//
// [Fields] never change and are safe for concurrent use. Objects are read only.
package selection
