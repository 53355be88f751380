// Package versionsort orders the version names of a CustomResourceDefinition
// by priority.
//
//	names := []string{"v1alpha1", "v1", "v2beta3"}
//	versionsort.Sort(names)
//	preferred := names[0] // v1
//
// A definition may serve the same kind under several versions. Clients that
// do not name one get the version of highest priority, and discovery lists
// the versions in this order. The order is a function of the names alone; it
// does not depend on which version is stored or on the order in which the
// definition lists them.
//
// # Semantics
//
// A name is Kubernetes-like if it is "v" and a major number, optionally
// followed by "alpha" or "beta" and a minor number: v1, v2beta3. Each number
// is one or more ASCII digits and must fit an int64; otherwise the name is
// not Kubernetes-like, however much it resembles one. See
// [Version priority] for the rule and its published example, which is an
// example and a test of this package:
//
//   - Kubernetes-like names come before all others.
//   - Among them, general availability comes before beta and beta before
//     alpha; then the greater major number comes first, then the greater
//     minor number.
//   - Other names come last, in increasing order of their bytes: foo1 before
//     foo10.
//
// [Compare] is negative if its first argument comes first, so that
// slices.SortFunc(names, versionsort.Compare) puts the preferred version at
// index 0.
//
// # Differences from Kubernetes
//
// kube-apiserver calls names such as v1 and v01 equal, as the numbers in them
// are, and then sorts with an algorithm that may put equal names in either
// order. Here they differ: the shorter name comes first, and names of equal
// length are ordered by their bytes. Two names compare equal only if they are
// the same string. Everywhere else the order is that of kube-apiserver.
// The difference is named versionsort/leading_zeros in docs/DIFFERENCES.md.
//
// Numbers are 64 bits wide on every platform, as they are in a server built
// for a 64-bit platform.
//
// # Concurrency and ownership
//
// The package has no state. Compare and Parse do not allocate; they may be
// called from any number of goroutines. Sort changes the slice it is given
// and keeps no reference to it.
//
// [Version priority]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
package versionsort
