// Package discovery says what an API server publishes of
// CustomResourceDefinitions for clients to find their way: which versions a
// group has, which of them is preferred, and which resources a version has with
// which verbs, short names and categories.
//
//	group := discovery.Group("example.com", crds...)       // GET /apis/example.com
//	list := discovery.Resources("example.com", "v1", crds...) // GET /apis/example.com/v1
//
// It is for programs that stand in for a server, and for those that want to
// know what a definition will look like to kubectl. The values encode to the
// bytes that the server answers with.
//
// # Semantics
//
// Versions are published if they are served, the most stable and newest first;
// the first is the preferred one. It is the group that has versions: if two
// definitions of one group serve different versions, the preferred version may
// be one that a kind does not have.
//
// A resource is followed by its subresources: status, then scale, which is of
// kind Scale in autoscaling/v1. A definition that is being deleted takes no new
// objects and no changes, and its verbs say so.
//
// The hash of the storage version changes when the storage version does, and
// tells clients no more than that. The server publishes it only while the
// storage version is served, and so does this package.
//
// The status of a definition decides whether it is published at all, with
// condition Established, and under which names. A definition without any
// condition, as in a file, has not met a server yet: it is published as if the
// server had accepted it as it is, with the singular name that the server
// fills in.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
// and https://kubernetes.io/docs/reference/using-api/api-concepts/#standard-api-terminology.
//
// # Differences from Kubernetes
//
// The server publishes nothing of a definition without conditions, for a
// moment: until its controllers have looked at it. Resources of several
// definitions come in the order of their names, where the server has them in
// any order. The aggregated form of discovery is left out.
//
// # Concurrency and ownership
//
// Functions may be called from any number of goroutines as long as nobody
// changes the definitions. They neither change nor keep them, and results
// belong to the caller: they share no memory with the definitions. A definition
// that is nil is passed over.
package discovery
