// Package format checks whether a string has the format that a schema requires with the keyword
// format, such as date-time or ipv4.
//
// This package checks byte, date-time and usual hostnames without allocation. strfmt, the package
// that kube-apiserver uses, checks all other formats and hostnames.
//
//	check, known := format.Lookup("date-time", format.DefaultMinor)
//	if known && !check("2026-01-02") {
//		return errors.New("no date-time")
//	}
//
// # Semantics
//
// Dashes in names do not matter, but case does: date-time, datetime and date--time are the same
// format, and Date-Time is unknown. kube-apiserver ignores a format that it does not know. The
// formats that it knows depend on the declared type and on the minor version of Kubernetes:
//
//   - type string, or no single type (x-kubernetes-int-or-string): the formats listed at
//     https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
//   - type integer: int32 and int64, spelled exactly
//   - type number: float and double, spelled exactly
//   - other types: no format
//
// Kubernetes 1.34 added k8s-short-name and k8s-long-name. A server uses the formats of the minor
// version before its own. For the newest server this is [DefaultMinor].
//
// [Supported] reports whether a server checks a format. [Lookup] returns the check of a format of
// strings. [Registered] ignores the version, as kube-apiserver does when it validates defaults.
//
// Every [Func] is safe for concurrent use and does not keep its argument.
package format
