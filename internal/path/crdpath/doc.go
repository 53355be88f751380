// Package crdpath reads the paths by which definitions name fields of an object.
//
//	path, err := crdpath.ParseField("spec.replicas", node) // a compiled schema
//	err = crdpath.FollowField(text, &crdpath.PropsCursor{At: props}, crdpath.Dots)
//	errs := crdpath.NewScalePath(".spec.replicas").CheckReplicas(obj)
//
// JSON paths, which printer columns use, are in package jsonpath below this one.
//
// # Field paths
//
// A rule names the field at which its failure is reported, and a selectable field names the
// field that it selects. Both are a sequence of .name and, with [DotsAndBrackets], ['name']
// with the escapes of Go. Each step leads to a property if the schema declares properties,
// and otherwise to an entry of a map. No step leads to an element of a list.
//
// A [FieldCursor] descends with the path. [ParseField] uses one for a compiled schema.
// [PropsCursor] is one for a schema as the definition has it, which need not compile.
//
// Error texts are those of the server. [ErrNoField] depends on the schema; all
// other errors depend on the text of the path only.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-path.
//
// # Scale paths
//
// A [ScalePath] names a number of replicas or a selector of the scale subresource
// and checks its value. Errors name the field as the definition declares it.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource.
//
// # Differences from Kubernetes
//
// A field path that leads below the entries of a map with undescribed values is an
// error. The server panics on it.
package crdpath
