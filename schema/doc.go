// Package schema compiles the OpenAPI v3 schema of a CustomResourceDefinition
// into an immutable typed tree, and checks that it is structural.
//
//	node, errs := schema.Compile(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
//	if len(errs) > 0 {
//		return errs.ToAggregate() // the errors of kube-apiserver
//	}
//	for name, property := range node.Property("spec").Properties() {
//		fmt.Println(name, property.Type(), property.Limits().Maximum.Value)
//	}
//	p := pruning.New(node) // and the other engines
//
// The engines of crdkit (pruning, defaulting, validation, rules) are made from this tree.
//
// # Semantics
//
// The schemas in properties, items and additionalProperties declare the structure of
// objects. A schema is structural if each of them has a type, and if allOf, anyOf, oneOf
// and not only constrain fields that are also declared outside of them. For a schema that
// is not structural, [Compile] returns the errors of kube-apiserver, with the same type,
// field and detail and in the same order.
//
// A [Node] is a schema that declares structure. A [Branch] is a schema below allOf, anyOf,
// oneOf or not. It has limits but declares no structure. [Limits] are the value validations
// of nodes and branches. A [Rule] is an entry of x-kubernetes-validations as data; package
// validation/cel compiles it.
//
// Equal subtrees become one Node: in generated definitions, nine of ten schemas occur more
// than once. Descriptions, titles, links and examples have a tree of their own; see
// [Node.Annotations].
//
// [Facts] say what a schema declares itself or anywhere below. Engines use them to skip
// subtrees.
//
// Numbers in defaults and enums are decoded as kube-apiserver decodes objects: to
// int64 if they are written as integers and fit, to float64 otherwise.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
//
// # Limits
//
// Without options, a schema may be [DefaultMaxDepth] schemas deep and have
// [DefaultMaxNodes] schemas. Every schema that fits into a request to kube-apiserver is
// within these limits. A schema that contains itself exceeds them.
//
// # Differences from Kubernetes
//
// Verdicts and errors are the server's, with two exceptions. A schema beyond the limits
// is an error. If several properties have unsupported keywords, the server reports a random
// one; this package reports the first by name.
//
// # Concurrency and ownership
//
// Nodes never change and are safe for concurrent use. Compile neither keeps nor
// changes the schema that it compiles. Methods of nodes return copies, except for
// fields that are documented as read only. A nil [Node] or [Branch] stands for a
// schema that declares nothing, so calls can be chained without a check.
package schema
