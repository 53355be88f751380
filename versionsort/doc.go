// Package versionsort orders the version names of a CustomResourceDefinition by priority.
//
//	names := []string{"v1alpha1", "v1", "v2beta3"}
//	versionsort.Sort(names)
//	preferred := names[0] // v1
//
// A client that names no version gets the version of highest priority. Discovery lists the versions
// in this order. The order depends only on the names.
//
// # Semantics
//
// A name is Kubernetes-like if it is "v" and a major number, optionally followed by "alpha" or
// "beta" and a minor number: v1, v2beta3. Each number is one or more ASCII digits and must fit an
// int64; otherwise the name is not Kubernetes-like. [Version priority] documents the rule:
//
//   - Kubernetes-like names come before all others.
//   - General availability comes before beta, and beta before alpha. Then the greater major number
//     comes first, then the greater minor number.
//   - Other names are in increasing order of their bytes: foo1 before foo10.
//
// [Compare] is negative if its first argument comes first, so that slices.SortFunc(names,
// versionsort.Compare) puts the preferred version at index 0.
//
// # Differences from Kubernetes
//
// kube-apiserver treats names such as v1 and v01 as equal, and may put them in either order. Here
// the shorter name comes first, and names of equal length are ordered by their bytes
// (versionsort/leading_zeros in docs/DIFFERENCES.md). Numbers have 64 bits on every platform.
//
// # Concurrency and ownership
//
// The functions may be called by several goroutines. Compare and Parse do not allocate.
//
// [Version priority]: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
package versionsort
