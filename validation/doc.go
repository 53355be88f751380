// Package validation decides whether an object fits its schema, and tells why
// if it does not, as kube-apiserver does for custom resources.
//
// [New] makes a [Validator] from a schema node. [Validator.Valid] is the bare
// verdict; [Validator.Validate] is for objects to create,
// [Validator.ValidateUpdate] for replacements and [Validator.ValidateStatus]
// for those of the status subresource. Rules written in CEL are the business of
// package validation/cel, metadata of the object itself that of the caller.
//
// # Semantics
//
// Three things are checked: types and values
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation),
// the elements of lists of type set and map
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy),
// and apiVersion, kind and metadata of embedded resources
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension).
// Where the server surprises, so does this package. Some of it a reader of
// schemas should know:
//
//   - null is subject to type, nullable and enum only. An enum refuses null
//     even if it lists it.
//   - A string with a format may be an array instead.
//   - A number counts as an integer if it is one but for a rounding error.
//   - The bounds of an integer must be integers of its format, or every number
//     is refused; int64 values are compared with a bound without its fraction.
//   - Enums convert: 1.9 is allowed by 1, and 65 by "A".
//   - maxLength and minLength count runes, though the message says bytes.
//   - Of length and pattern, only the first failure is reported.
//   - Errors of formats are of type TypeInvalid, and so keep rules from being
//     evaluated ([ErrorList.BlocksRules]).
//   - Errors of junctors, and of numbers out of the range of their type, are
//     reported for the root, whose field is <nil>. [Error.Pointer] and
//     [Error.SchemaPointer] say where it was.
//   - If no branch of an anyOf or oneOf fits, the errors of one are reported:
//     of the one in which most checks passed.
//
// An update is forgiven errors that are not its fault ([Result]): this is
// called ratcheting
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting).
//
// The formats of strings that count are those of Kubernetes 1.37, unless the
// option [KubernetesVersion] names another version.
//
// # How
//
// A schema is compiled into a tree that answers yes or no without allocating.
// Nearly all objects are valid and need nothing else. Only for an invalid object
// a second walk collects the errors.
//
// # Differences from Kubernetes
//
// The same errors are found, with the same types, fields, bad values and
// details. They are different in this:
//
//   - They are sorted; the server reports them in an order that varies.
//   - If names with dots make two places have one path, two errors can have one
//     text, of which only one is reported. Which one varies in the server.
//   - Values of Go types that JSON does not decode to have no JSON type. The
//     server takes an int for an integer, for example.
//   - Bounds beyond the range of int64 depend on the processor, here and there.
//
// # Concurrency and ownership
//
// A [Validator] is immutable and safe for concurrent use. It does not change
// objects and keeps nothing of them; BadValue of an error may be a part of the
// object, so whoever keeps errors should not change it.
package validation
