// Package versionsort orders the version names of a CustomResourceDefinition by priority.
//
//	names := []string{"v1alpha1", "v1", "v2beta3"}
//	versionsort.Sort(names)
//	preferred := names[0] // v1
//
// A definition may serve the same kind under several versions. A client that
// names no version gets the version of highest priority, and discovery lists the
// versions in this order. The order depends only on the names. It does not depend
// on which version is stored or on the order of versions in the definition.
//
// # Semantics
//
// A name is Kubernetes-like if it is "v" and a major number, optionally followed by "alpha"
// or "beta" and a minor number: v1, v2beta3. Each number is one or more ASCII digits and
// must fit an int64; otherwise the name is not Kubernetes-like. [Version priority]
// documents the rule, with an example that is an example and a test of this package:
//
//   - Kubernetes-like names come before all others.
//   - Among them, general availability comes before beta and beta before
//     alpha; then the greater major number comes first, then the greater
//     minor number.
//   - Other names come last, in increasing order of their bytes: foo1 before
//     foo10.
//
// [Compare] is negative if its first argument comes first, so that slices.SortFunc(names,
// versionsort.Compare) puts the preferred version at index 0.
//
// # Differences from Kubernetes
//
// kube-apiserver treats names such as v1 and v01 as equal, because their numbers
// are equal, and its sort may put equal names in either order. In this package
// such names differ: the shorter name comes first, and names of equal length are
// ordered by their bytes. Two names compare equal only if they are the same
// string. All other names are in the order of kube-apiserver. The entry
// versionsort/leading_zeros of docs/DIFFERENCES.md describes this difference.
//
// Numbers have 64 bits on every platform, as in a server on a 64-bit platform.
//
// # Concurrency and ownership
//
// The package has no state, and its functions may be called by multiple goroutines. Compare
// and Parse do not allocate. Sort changes its slice and keeps no reference to it.
//
// [Version priority]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
package versionsort
