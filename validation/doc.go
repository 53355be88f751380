// Package validation checks whether an object conforms to its schema, and
// reports why it does not, as kube-apiserver does for custom resources.
//
//	node, errs := schema.Compile(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
//	if len(errs) > 0 {
//		return errs.ToAggregate()
//	}
//	v := validation.New(node) // once per schema
//
//	for _, err := range v.Validate(obj) { // no error: the object is valid
//		fmt.Println(err, "at", err.Pointer, "by", err.SchemaPointer)
//	}
//	result := v.ValidateUpdate(obj, old) // forgives errors of unchanged values
//	return result.Errors.Err()
//
// [Validator.Valid] returns the verdict only. [Validator.ValidateStatus] checks
// requests to the status subresource. Package validation/cel evaluates rules
// written in CEL. The caller checks the metadata of the object itself.
//
// # Semantics
//
// A validator checks types and values
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation),
// the elements of lists of type set and map
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy),
// and apiVersion, kind and metadata of embedded resources
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension).
// An update is forgiven the errors of values that it does not change ([Result]), which is ratcheting
// (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting).
//
// The server's behaviour is kept where it may be unexpected:
//
//   - Only type, nullable and enum apply to null. An enum refuses null even if
//     it lists null.
//   - An array is valid where a string with a format is declared.
//   - A number counts as an integer if only a rounding error separates them.
//   - The bounds of an integer must be integers of its format, or every number
//     is refused. An int64 is compared with a bound without its fraction.
//   - Enums convert: 1 in an enum allows 1.9, and "A" allows 65.
//   - maxLength and minLength count runes, though the message says bytes.
//   - Only the first failure of length and pattern is reported.
//   - Errors of formats have the type TypeInvalid, so they block the evaluation
//     of rules ([ErrorList.BlocksRules]).
//   - Errors of junctors, and of numbers outside the range of their type, are
//     reported for the root, whose field is <nil>. [Error.Pointer] and
//     [Error.SchemaPointer] have the exact location.
//   - If no branch of an anyOf or oneOf is satisfied, the errors of one branch
//     are reported: of the branch in which most checks passed.
//
// Formats of strings are those of Kubernetes 1.37, unless the option
// [KubernetesVersion] names another version.
//
// # Differences from Kubernetes
//
// The same errors are found, with the same types, fields, bad values and details, but
// sorted. Property names with dots can give two locations the same path: of two errors with
// the same text only one is reported, and which one varies in the server. Values of Go types
// that JSON does not decode to have no JSON type. Some results for bounds beyond the range
// of int64 depend on the processor.
//
// # Concurrency and ownership
//
// A [Validator] never changes and is safe for concurrent use. It neither changes
// nor keeps objects. BadValue of an error may be a part of the object, so the
// object must not be changed while the error is in use.
package validation
