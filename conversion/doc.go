// Package conversion converts objects between the versions of a
// CustomResourceDefinition.
//
// A definition may serve several versions. Objects are stored at one of them
// and converted when they are asked for at another. How, the definition says
// in spec.conversion:
//
//   - None: only apiVersion changes. The versions differ in what they prune,
//     default and validate, not in where a field lies.
//   - Webhook: a service is asked. This package does not call it yet: [New]
//     returns [ErrNoWebhook] for such a definition, and a caller who can convert
//     gives a [Converter] of his own.
//
// # Semantics
//
// A converter changes versions and nothing else. Pruning and null dropping with
// the schema of the target, which the server does to every object that it
// reads or writes at another version, is the business of package crdkit.
// Versions that are not served are converted like others: stored objects may
// have them.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/.
//
// # Differences from Kubernetes
//
// Errors have the server's texts. An unknown version of one object of several
// is reported before anything is converted.
//
// # Concurrency and ownership
//
// Converters are immutable and safe for concurrent use. They never change the
// objects that they are given; what they return shares no memory with them.
package conversion
