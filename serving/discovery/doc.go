// Package discovery makes the discovery documents that an API server publishes for
// CustomResourceDefinitions: the versions of a group, the preferred version, and the
// resources of a version with their verbs, short names and categories.
//
// This package is experimental.
//
//	group, ok := discovery.Group("example.com", crds...) // GET /apis/example.com
//	if !ok {
//		return http.StatusNotFound
//	}
//	list, ok := discovery.Resources("example.com", group.PreferredVersion.Version, crds...)
//	groups := discovery.Groups(crds...) // the groups of GET /apis
//
// The values encode to the bytes of the server's responses.
//
// # Semantics
//
// Served versions are published in order of priority: the most stable and newest first. The first
// one is the preferred version. If two definitions of a group serve different versions, the
// preferred version may lack one of the kinds.
//
// Each resource is followed by its subresources: status, then scale, which has the kind Scale of
// autoscaling/v1. If a definition is being deleted, the verbs allow neither new objects nor
// changes.
//
// A client can notice a change of the storage version by its hash. The hash is published if the
// storage version is served.
//
// The status of a definition decides whether it is published (condition Established) and under
// which names. A definition without conditions, such as one from a file, is published as if the
// server had accepted it, with the singular name that the server would set.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
// and https://kubernetes.io/docs/reference/using-api/api-concepts/#standard-api-terminology.
//
// # Differences from Kubernetes
//
// The server does not publish a definition without conditions, because its controllers have not
// seen it. Resources of several definitions are sorted by name; the server has them in random
// order. The package has no aggregated discovery.
//
// # Concurrency and ownership
//
// Functions do not change or keep definitions and may be called from several goroutines.
// Results share no memory with the definitions. A nil definition is ignored.
package discovery
