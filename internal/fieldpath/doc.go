// Package fieldpath reads the paths by which definitions name fields of an
// object: the fieldPath of a rule, at which its failure is reported, and the
// jsonPath of a selectable field.
//
// # Semantics
//
// A path is a sequence of .name and, unless [FollowField] is told otherwise,
// ['name'], in which the escapes of Go stand for what they stand for in Go.
// Each leads to a property if any are declared, else to an entry of a map, and
// never to an element of a list. What lies below a place is told by a [FieldCursor]:
// [ParseField] goes through a compiled schema, and [PropsCursor] through one as it is
// written, which need not compile. On a schema that compiles both say the same.
//
// The texts of errors are those of the server, which shows them for selectable
// fields. [ErrNoField] alone depends on the schema; all others are said of the
// path.
//
// # Differences from Kubernetes
//
// Below the entries of a map whose values are not described there is no field.
// The server panics there.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-path.
//
// # Concurrency and ownership
//
// Schemas are not changed, and no path refers to its text. A Place belongs to
// the call that follows a path through it.
package fieldpath
