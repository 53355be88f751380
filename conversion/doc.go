// Package conversion converts objects between the versions of a
// CustomResourceDefinition, as kube-apiserver does, and serves conversion webhooks.
//
//	converter, err := conversion.New(crd) // by spec.conversion of the definition
//	if err != nil {
//		return err
//	}
//	objs, err = converter.Convert(ctx, objs, "v1")
//
// The server stores objects at one version and converts them for requests at another. The strategy
// in spec.conversion is
//
//   - None: only apiVersion changes. The versions may prune, default and validate differently,
//     but a field has the same place in all of them.
//   - Webhook: the server sends a ConversionReview to a service, over HTTPS.
//
// The author of a webhook writes a [ConvertFunc], which converts one object, and passes it to
// [Handler]. [Typed] makes a ConvertFunc from a function over Go structs. [Hub] makes one for many
// versions from conversions to and from a hub version. [Local] makes a [Converter] that calls a
// ConvertFunc in this process.
//
// # Semantics
//
// A converter only changes the version. The server also prunes an object and drops nulls by the
// schema of the target version; package crdkit does that. Versions that are not served are
// converted too, because stored objects may have them.
//
// The webhook is called as the server calls it:
//
//   - The address is the URL, or the service, by default at port 443 and path "/". The proxy that
//     the environment names is used.
//   - TLS checks the host in the URL, or service.namespace.svc. The caBundle has the trusted
//     certificates. If it is empty, the system's certificates are trusted.
//   - The review has the first version of conversionReviewVersions that this package knows, v1 or
//     v1beta1.
//   - Objects with the target version and objects with nothing but a type are not sent. If no
//     object is left, the webhook is not called.
//   - The call may take [DefaultTimeout]. After a response of 429 or 5xx with a Retry-After in
//     seconds the call is repeated, at most ten times and within the timeout.
//
// A response must answer the request: it must have the version and, except in v1beta1, the UID of
// the review. It must be a Success, with as many objects as the request, in the same order. Each
// object must have the target version and the kind, name, namespace and UID that were sent. From
// the other metadata, only labels and annotations are taken; if they changed, they must be valid.
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#response.
//
// Error texts are the server's. If several objects are converted in one call, the errors have the
// server's texts for a list. See also [ConvertList].
//
// # Serving a webhook
//
// A handler only needs net/http:
//
//	http.Handle("/convert", conversion.Handler(convert))
//	err := http.ListenAndServeTLS(":9443", "tls.crt", "tls.key", nil)
//
// A handler also works in a manager of controller-runtime, whose own handler requires hub and spoke
// types:
//
//	mgr.GetWebhookServer().Register("/convert", conversion.Handler(convert))
//
// # Differences from Kubernetes
//
// docs/DIFFERENCES.md lists the differences. Their names begin with conversion/. The important ones
// are:
//
//   - The caller's context ends a call and the decoding of its response.
//   - The size of a response and the memory of its objects are limited; see [MaxResponseBytes] and
//     [MaxResponseMemory].
//   - A URL must have https, and a redirect is only followed to https.
//
// # Who may call what
//
// The author of a definition decides which host the converter of [New] calls: any host at any port,
// in the network of the program, with the objects as content. The author also chooses the caBundle,
// so TLS does not restrict the host. A webhook may redirect to another https host whose certificate
// is trusted. The error of a call may show the start of the response. To convert definitions
// from strangers, use [PublicAddressesOnly]. Or use the option WithConverter of package crdkit with
// [None] or [Local], which do not connect to anything.
//
// A handler answers every client that reaches it. It has no authentication. The server can be
// configured to send a certificate. An http.Server with tls.RequireAndVerifyClientCert requires and
// checks one. A handler limits the size, number, memory and duration of its requests, and never
// connects to anything. An http.Server needs a ReadHeaderTimeout of its own.
//
// # Concurrency and ownership
//
// Converters and handlers are safe for concurrent use. The converter of a webhook keeps
// up to 25 idle connections for 90 seconds; it implements io.Closer. Converters do not
// change the objects of the caller, but results may share memory with them below the top
// level: see [Converter].
package conversion
