// Package format decides whether a string has one of the formats that a
// schema can ask for with the keyword format, such as date-time or ipv4.
//
// A format is looked up once, when a schema is compiled. The result is a plain
// function: nothing is locked, searched or normalised when values are checked.
// The shapes that objects really contain are recognised by hand-written scans
// which do not allocate; whatever else a format admits goes to the standard
// library or to strfmt, the package that kube-apiserver uses.
//
// # Semantics
//
// Names are compared after removing every dash and are case-sensitive, so
// date-time, datetime and date--time are one format and Date-Time is none.
// kube-apiserver ignores a format that it does not know. What it knows depends
// on the declared type and on the minor version of Kubernetes:
//
//   - type string, or no single type (x-kubernetes-int-or-string): the names of
//     [Names], see
//     https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
//   - type integer: int32 and int64, dashes not removed
//   - type number: float and double, dashes not removed
//   - other types: none
//
// k8s-short-name and k8s-long-name are known since 1.34. A server judges with
// the minor before its own, so that objects it admits remain valid after a
// rollback: 1.37 uses [DefaultMinor].
//
// [Supported] tells whether a format is honoured. [Lookup] gives the check of a
// format of strings. [Registered] ignores the version; kube-apiserver validates
// defaults that way. The formats of numbers restrict the range of values and are
// not checked here.
//
// # Differences from Kubernetes
//
// None in verdicts. Some are surprising and deliberate: ipv4 and cidr accept
// leading zeros, ipv4 accepts ::ffff:1.2.3.4, hostname rejects foo-bar unless a
// dot follows, byte rejects the empty string, date-time ignores what follows a
// second t, duration accepts any text that contains a number and a unit.
// Tests compare every format with strfmt.
//
// # Concurrency and ownership
//
// The package has no state. Every [Func] is safe for concurrent use and does
// not keep its argument.
package format
