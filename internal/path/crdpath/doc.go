// Package crdpath reads the paths by which definitions name fields of an object.
//
//	path, err := crdpath.ParseField("spec.replicas", node) // a compiled schema
//	err = crdpath.FollowField(text, &crdpath.PropsCursor{At: props}, crdpath.Dots)
//	errs := crdpath.NewScalePath(".spec.replicas").CheckReplicas(obj)
//
// JSON paths, which printer columns use, are in the subpackage jsonpath.
//
// # Field paths
//
// A rule names the field at which it reports a failure, and a selectable field names the field that
// it selects. Both are a sequence of .name and, with [DotsAndBrackets], ['name'] with the escapes
// of Go. A step leads to a property if the schema declares properties, otherwise to an entry of a
// map. No step leads to an element of a list.
//
// A [FieldCursor] descends with the path. [ParseField] uses a cursor for a compiled schema.
// [PropsCursor] is a cursor for the schema in a definition, which may not compile.
//
// Error texts are the texts of the server. [ErrNoField] depends on the schema. All other errors
// depend only on the text of the path.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-path.
//
// # Scale paths
//
// A [ScalePath] names the number of replicas or the selector of the scale subresource, and checks
// its value. Errors name the field as the definition declares it.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource.
//
// # Differences from Kubernetes
//
// A field path may lead below the entries of a map whose values have no schema. This is an error.
// The server panics.
package crdpath
