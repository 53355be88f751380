// Package conversion converts objects between the versions of a
// CustomResourceDefinition, as kube-apiserver does, and serves conversion webhooks.
//
//	converter, err := conversion.New(crd) // by spec.conversion of the definition
//	if err != nil {
//		return err
//	}
//	objs, err = converter.Convert(ctx, objs, "v1")
//
// The server stores objects at one version and converts them for requests at another. The
// strategy in spec.conversion is
//
//   - None: only apiVersion changes. The versions differ in what they prune, default and
//     validate, but not in where a field is.
//   - Webhook: the server sends a ConversionReview to a service, over HTTPS.
//
// The author of a webhook writes a [ConvertFunc], which converts one object, and passes it
// to [Handler]. [Typed] makes a ConvertFunc from a function over Go structs, and [Hub]
// makes one for many versions from conversions to and from one of them. [Local] makes a
// [Converter] that calls a ConvertFunc in this process.
//
// # Semantics
//
// A converter changes the version only. The server also prunes an object and drops nulls
// by the schema of the target version; package crdkit does that. Versions that are not
// served are converted too, because stored objects may have them.
//
// The webhook is called as the server calls it: at the URL or the service, by default at
// port 443 and path "/"; with TLS, for the host in the URL or service.namespace.svc; with
// the caBundle as trusted certificates, or those of the system if it is empty; within
// [DefaultTimeout]; through the proxy that the environment names. The review has the first
// version of conversionReviewVersions that this package knows, v1 or v1beta1. Objects that
// have the target version, and objects that consist of their type only, are not sent; if no
// object is left, the webhook is not called. After a response of 429 or 5xx with a
// Retry-After in seconds, the call is repeated, at most ten times and within the timeout.
//
// A response must answer the request (version and UID of the review, which v1beta1 does not
// check), must be a Success, and must have as many objects as the request, in the same
// order. Each object must have the target version and the kind, name, namespace and UID that
// were sent. Of the other metadata, only labels and annotations are taken from the response;
// changed ones must be valid. See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#response.
//
// Error texts are those of the server. Errors of several objects in one call have the
// server's words for a list. See also [ConvertList].
//
// # Serving a webhook
//
// A handler needs net/http only:
//
//	http.Handle("/convert", conversion.Handler(convert))
//	err := http.ListenAndServeTLS(":9443", "tls.crt", "tls.key", nil)
//
// It also works in a manager of controller-runtime, whose own handler requires hub and spoke
// types:
//
//	mgr.GetWebhookServer().Register("/convert", conversion.Handler(convert))
//
// # Differences from Kubernetes
//
// docs/DIFFERENCES.md lists them, under names that begin with conversion/. The important
// ones: the context of the caller ends a call and the decoding of its response; the size of
// a response and the memory of its objects are limited (see [MaxResponseBytes] and
// [MaxResponseMemory]); a URL must have https, and a redirect is followed to https only.
//
// # Who may call what
//
// The author of a definition decides which host the converter of [New] calls: any host at
// any port, in the network of the program, with the objects as content. The author also
// chooses the caBundle, so TLS does not restrict the host. A webhook may redirect to another
// https host whose certificate is trusted. Errors of calls, which may show the start of an
// answer, go to the caller. To convert definitions from strangers, use
// [PublicAddressesOnly], or the option WithConverter of package crdkit with [None] or
// [Local], which do not connect to anything.
//
// A handler answers every client that reaches it. It has no authentication: the server sends
// a certificate only if it is configured to, and an http.Server with
// tls.RequireAndVerifyClientCert checks it. A handler limits the size, number, memory and
// duration of its requests, and never connects to anything. An http.Server needs a
// ReadHeaderTimeout of its own.
//
// # Concurrency and ownership
//
// Converters and handlers are safe for concurrent use. The converter of a webhook keeps
// up to 25 idle connections for 90 seconds; it implements io.Closer. Converters do not
// change the objects of the caller, but results may share memory with them below the top
// level: see [Converter].
package conversion
