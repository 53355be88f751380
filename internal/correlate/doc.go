// Package correlate finds the old value of a part of a new object, and tells
// whether that part changed.
//
// Both questions come up when an object is updated: errors about a value that
// the old object had already are forgiven (ratcheting), and transition rules
// see the old value beside the new one.
//
// # Semantics
//
// Parts correspond by their place and their schema:
//
//   - An entry of an object corresponds to the entry of the same name, if both
//     objects have one and its name is declared, in properties or by a schema
//     in additionalProperties. Null is a value like any other.
//   - An element of a list of type map corresponds to the first element of the
//     old list with the same keys. It needs every key, and each key has to be a
//     boolean, a number or a string.
//   - Elements of other lists correspond to nothing: an index says nothing
//     about identity.
//
// What corresponds is unchanged if it is equal, with four peculiarities that
// are part of what kube-apiserver does:
//
//   - An object with an entry that is not declared is changed, whatever the
//     entry is. No root object is therefore ever unchanged, unless its schema
//     declares apiVersion, kind and metadata and all below.
//   - A list of type map is unchanged if it is as long as before and each of
//     its elements equals the one that it corresponds to. Neither order nor an
//     old element that nothing corresponds to makes a difference.
//   - Lists of other types are equal as a whole, undeclared fields included.
//   - int64(1) and float64(1) differ.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting.
//
// # Use
//
// Start with a [Pair] of the root and walk down with [Pair.Key] and
// [Pair.Elements]. A walk that arrives where nothing corresponds gets the zero
// Pair; whoever forgives errors there asks the nearest Pair above that is not
// zero. Below a zero Pair there are only zero Pairs.
//
// # Concurrency and ownership
//
// A Schema is immutable and safe for concurrent use. Pairs and Elements refer
// to the objects that they were made from and belong to one call. Nothing here
// changes an object.
package correlate
