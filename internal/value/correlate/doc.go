// Package correlate finds the old value of a part of a new object, and reports whether the part
// changed. Ratcheting forgives errors of values that the old object already had. Transition rules
// see the old value beside the new one.
//
//	s := correlate.New(node) // once per schema
//
//	root := s.Pair(obj, old)
//	spec := root.Key("spec")
//	if spec.Correlated() && spec.Unchanged() {
//		// forgive the errors of spec
//	}
//
// The location and the schema of a part decide what corresponds to it:
//
//   - An object entry corresponds to the entry of the same name, if both objects have it and
//     its name is declared, in properties or by a schema in additionalProperties.
//   - An element of a list of type map corresponds to the first old element with the same
//     keys. It must have every key, each a boolean, a number or a string.
//   - Elements of other lists correspond to nothing.
//
// A part is unchanged if it equals its old value, with kube-apiserver's exceptions:
//
//   - An object with an undeclared entry is changed, even if the entry is equal. So a root
//     object is changed, unless its schema declares apiVersion, kind and all of metadata.
//   - A list of type map is unchanged if its length is the same and each element equals the
//     corresponding one, in any order.
//   - Lists of other types are compared as a whole, with their undeclared fields.
//   - int64(1) and float64(1) differ.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
//
// If nothing corresponds to a part, its [Pair] is zero, and so are all Pairs below it. Ratcheting
// then uses the nearest Pair above. A Schema is immutable and safe for concurrent use. Pairs and
// Elements belong to one call.
package correlate
