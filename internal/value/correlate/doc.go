// Package correlate finds the old value of a part of a new object, and reports
// whether that part changed.
//
// An update needs both. Ratcheting forgives errors of values that the old object
// already had, and transition rules see the old value beside the new one.
//
//	s := correlate.New(node) // once per schema
//
//	root := s.Pair(obj, old)
//	spec := root.Key("spec")
//	if spec.Correlated() && spec.Unchanged() {
//		// forgive the errors of spec
//	}
//
// # Semantics
//
// The location and the schema of a part decide what corresponds to it:
//
//   - An object entry corresponds to the entry of the same name, if both objects
//     have it and its name is declared, in properties or by a schema in
//     additionalProperties. Null is a value like any other.
//   - An element of a list of type map corresponds to the first element of the
//     old list with the same keys. It must have every key, and each key must be
//     a boolean, a number or a string.
//   - Elements of other lists correspond to nothing, as an index does not
//     identify an element.
//
// A part is unchanged if it equals the part that it corresponds to, with four
// exceptions that follow kube-apiserver:
//
//   - An object with an undeclared entry is changed, even if the entry is equal.
//     So a root object is never unchanged, unless its schema declares apiVersion,
//     kind and metadata and everything below.
//   - A list of type map is unchanged if it has its old length and each of its
//     elements equals the one that it corresponds to. The order has no effect,
//     and neither has an old element to which nothing corresponds.
//   - Lists of other types are compared as a whole, with their undeclared fields.
//   - int64(1) and float64(1) differ.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
//
// # Use
//
// Start with a [Pair] of the root and walk down with [Pair.Key] and
// [Pair.Elements]. If nothing corresponds to a part, its Pair is the zero Pair,
// and so are all Pairs below it. Ratcheting then uses the nearest Pair above
// that is not zero.
//
// A Schema never changes and is safe for concurrent use. Pairs and Elements belong to
// one call.
package correlate
