// Package apiserver serves the objects of definitions over HTTP, as kube-apiserver does,
// without a network: a [Server] is an [http.RoundTripper]. Clients of client-go and
// controller-runtime use it as the transport of their configuration.
//
//	server, err := apiserver.New(catalog, crds)
//	config := &rest.Config{Host: "http://crdkit.invalid", Transport: server}
//
// # Semantics
//
// The server offers create, update, patch, delete, delete collection, get, list and watch,
// the subresources status and scale, and discovery documents. Package crdkit decides what
// is admitted. This package adds what needs a store: resource versions, conflicts, UIDs,
// creation times, generated names, finalizers, deletion, and watches.
//
// An object is stored at the storage version of its definition. A write that changes
// nothing keeps the resource version.
//
// See https://kubernetes.io/docs/reference/using-api/api-concepts/.
//
// # Differences from Kubernetes
//
// See DIFFERENCES.md in the directory of this module.
//
// # Concurrency and ownership
//
// A [Server] is safe for concurrent use. It serves one write at a time.
package apiserver
