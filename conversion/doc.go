// Package conversion converts objects between the versions of a
// CustomResourceDefinition, as kube-apiserver does, and serves conversion
// webhooks.
//
// A definition may serve several versions. Objects are stored at one of them
// and converted when they are asked for at another. How, the definition says
// in spec.conversion, and [New] returns the [Converter] for it:
//
//   - None: only apiVersion changes. The versions differ in what they prune,
//     default and validate, not in where a field lies.
//   - Webhook: a service is asked, over HTTPS, with a ConversionReview.
//
// Who writes a webhook writes a [ConvertFunc], which converts one object, and
// passes it to [Handler]; [Typed] makes one from a function over Go structs,
// [Hub] one for many versions from conversions to and from a single one. [Local]
// puts a ConvertFunc in the place of the webhook.
//
// # Semantics
//
// A converter changes versions and nothing else. Pruning and null dropping with
// the schema of the target, which the server does to every object that it
// reads or writes at another version, is the business of package crdkit.
// Versions that are not served are converted like others: stored objects may
// have them.
//
// The webhook is called as the server calls it: at the URL, or at the service,
// with port 443 and path "/" unless said otherwise; with TLS, for the name
// in the URL or service.namespace.svc; trusting the caBundle, or the system's
// certificates if it is empty; within [DefaultTimeout]; through the proxy that
// the environment names. The review is of the first version in
// conversionReviewVersions that is known here, v1 or v1beta1. Objects that have
// the version asked for are not sent, and if none is left, nobody is called. Nor
// is anybody for an object that consists of its type alone. An answer of 429 or
// 5xx with a Retry-After in seconds is followed by another attempt, ten times at
// most and within the timeout.
//
// An answer must be to the request (version and uid of the review; in v1beta1
// they are not looked at), must be a Success, and must have as many objects as
// were sent, in the same order. Each must have the version asked for and the
// kind, name, namespace and uid that were sent. Of the rest of metadata only
// labels and annotations are taken, which must be valid where they were changed;
// everything else is what it was. See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#response.
//
// Errors have the server's texts. Several objects in one call are what a list is
// to the server, and errors say so; see also [ConvertList].
//
// # Serving a webhook
//
// The handler needs nothing but net/http:
//
//	http.Handle("/convert", conversion.Handler(convert))
//	err := http.ListenAndServeTLS(":9443", "tls.crt", "tls.key", nil)
//
// It fits into a manager of controller-runtime as any http.Handler does, in the
// place of the one that comes with it and needs types of the hub and of spokes:
//
//	mgr.GetWebhookServer().Register("/convert", conversion.Handler(convert))
//
// What is to be observed in writing a ConvertFunc stands there.
//
// # Differences from Kubernetes
//
// The context of the caller ends a call; the server's own calls go on without
// it. The size of an answer is limited, by [MaxResponseBytes]. A redirect is
// followed only to https. The User-Agent is crdkit. Answers in protobuf, which
// no webhook gives, are not understood. Where one answer has several mistakes in
// labels or annotations, they are told in the order of keys, the server's order
// being random. A definition that the server would not accept, with a URL
// without https for example, has no converter here: [ErrNoWebhook].
// docs/DIFFERENCES.md gives reasons, under names that begin with conversion/.
//
// # Concurrency and ownership
//
// Converters and handlers are immutable and safe for concurrent use. A converter
// of a webhook keeps up to 25 idle connections, for 90 seconds; there is nothing
// to close. Converters never change the objects that they are given, but what
// they return may share memory with those, except for the top level: see
// [Converter].
package conversion
