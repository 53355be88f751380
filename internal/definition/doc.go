// Package definition judges CustomResourceDefinitions as kube-apiserver does
// when one is created or updated, as far as that takes no engine.
//
// # Semantics
//
// The server does not judge what it is sent. It sets defaults, and then turns
// the definition into an older, internal form: what all versions have in
// common (schema, subresources, printer columns, selectable fields, each for
// itself) moves to the definition as a whole, and the webhook of the
// conversion loses one level. Errors name places of that form. [New] makes it
// without copying: a [Shape] refers to the parts of the definition.
//
// [Check] finds what is wrong with a Shape. How strict it is, is said by
// [Options]: everything is asked of a new definition ([CreateOptions]), and of
// an update only what the old definition already kept ([UpdateOptions]).
//
// Two things need engines, which this package does not know: whether defaults
// are valid, and whether rules compile and are cheap enough. Check asks
// [Engines] for both, at the moment and with the answers so far that decide
// whether the server would ask.
//
// [Warnings] and [UpdateWarnings] are what the server warns of.
//
// [Pointer] leads from the internal place that an error names back to the
// definition as it was written.
//
// [Options.V1beta1] is the leniency of the API v1beta1. [Normal] is what the
// server's conversions leave of a definition, and [AcceptNames], [Established],
// [NonStructural] and [Approval] are what its controllers write into the status.
//
// # Differences from Kubernetes
//
// Where kube-apiserver panics there are errors: a selectable field below a
// schema that cannot be converted is not looked up, and a path that leads on
// through additionalProperties: true refers to no field. The value of an error
// is a part of the definition as it was given and not of its internal form.
// Schemas that are deeper or larger than package schema admits are refused
// before anything else is said of them.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/.
//
// # Concurrency and ownership
//
// Nothing here changes or keeps the definition. A Shape, and the values of
// errors, refer to parts of it. Functions may be called from any number of
// goroutines.
package definition
