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
// [Validator.Valid] returns only the verdict. [Validator.ValidateStatus] checks
// requests to the status subresource. Package validation/cel evaluates rules
// written in CEL. The caller must check the object's own metadata.
//
// # Semantics
//
// A validator checks
//
//   - [types and values],
//   - the elements of lists of type [set and map],
//   - apiVersion, kind and metadata of [embedded resources].
//
// With [ratcheting], an update is not refused because of values that it does not change.
// Their errors are in [Result.Ratcheted].
//
// The server behaves unexpectedly in some cases. A validator does the same:
//
//   - Only type, nullable and enum apply to null. An enum refuses null even if
//     it lists null.
//   - An array is valid where a string with a format is declared.
//   - A number is an integer if it differs from an integer only by a rounding error.
//   - If a bound of an integer is not an integer of its format, every number is
//     refused. An int64 is compared with a bound without its fraction.
//   - Enums convert: 1 in an enum allows 1.9, and "A" allows 65.
//   - maxLength and minLength count runes, though the message says bytes.
//   - Only the first failure of length and pattern is reported.
//   - Errors of formats have the type TypeInvalid, so they block the evaluation
//     of rules ([ErrorList.BlocksRules]).
//   - Errors of allOf, anyOf, oneOf and not, and of numbers outside the range of
//     their type, are reported for the root. Their field is <nil>.
//     [Error.Pointer] and [Error.SchemaPointer] have the exact location.
//   - If no branch of an anyOf or oneOf is satisfied, only the errors of the
//     branch with the most passed checks are reported.
//
// The formats of strings are the formats of Kubernetes 1.37, or of the version in
// [KubernetesVersion].
//
// # Differences from Kubernetes
//
// Errors have the server's types, fields, bad values and details. They are sorted. If
// property names contain dots, two locations can have the same path. Only one of two errors
// with the same text is reported; the server reports a random one. Go values that decoded
// JSON cannot contain have no JSON type. Some results for bounds beyond the range of int64
// depend on the processor.
//
// # Concurrency and ownership
//
// A [Validator] never changes and is safe for concurrent use. It neither changes
// nor keeps objects. BadValue of an error may be a part of the object, so the
// object must not be changed while the error is in use.
//
// [types and values]:
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
// [set and map]:
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
// [embedded resources]:
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension
// [ratcheting]:
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
package validation
