// Package schema compiles the OpenAPI v3 schema of a CustomResourceDefinition
// into an immutable typed tree, and checks that it is structural.
//
//	node, errs := schema.Compile(crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
//
// The tree is what every engine of crdkit is built from: pruning, defaulting,
// validation and validation/cel each compile it once more into what they need.
//
// # Semantics
//
// A schema is structural if the type of every place of an object can be told
// without looking at the object: properties, items and additionalProperties
// form a spine, every place of which has a type, and allOf, anyOf, oneOf and
// not only constrain values whose structure the spine declares. [Compile]
// returns the errors that kube-apiserver returns for schemas that are not, with
// the same type, field and detail and in the same order.
//
// A [Node] is one place of the spine. A [Branch] is a schema below allOf,
// anyOf, oneOf or not: it has limits and no structure, which is why it is
// another type. [Limits] are the value validations that both have. Rules
// (x-kubernetes-validations) are data here, see [Rule]; package validation/cel
// compiles them.
//
// Equal subtrees become one Node. Generated definitions repeat themselves, with
// nine places of ten seen before, and what is built from the tree needs to look
// at each only once. Descriptions, titles, links and examples would make equal
// places differ, so they are kept in a tree of their own: see
// [Node.Annotations].
//
// [Facts] say what there is below a node: defaults, rules, embedded resources.
// They let an engine pass over what does not concern it.
//
// Numbers in defaults and enums are decoded as kube-apiserver decodes objects:
// int64 if they are written as integers and fit, float64 otherwise.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
//
// # Limits
//
// A schema may be at most [DefaultMaxDepth] schemas deep and have at most
// [DefaultMaxNodes] schemas, unless options say otherwise. What fits into a
// request to kube-apiserver fits into these. A schema that was built by a
// program and contains itself is an error, not a hang.
//
// # Differences from Kubernetes
//
// The verdict and the errors are the same, but for schemas beyond the limits.
// Where the server names the first of several keywords that it does not
// support, and its order of properties is random, the one under the first
// property by name is named here.
//
// # Concurrency and ownership
//
// Nodes never change and are safe for concurrent use. The schema that a node is
// compiled from is neither kept nor changed. What accessors return is a copy,
// or, where a field says "read only", shared.
package schema
