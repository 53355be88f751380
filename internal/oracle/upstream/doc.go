// Package upstream runs kube-apiserver's own code on one version of one definition,
// step by step and as whole requests. It returns the object as JSON, paths, error lists
// and cost. It is the oracle: it uses no code of crdkit, and calls upstream in its
// default configuration.
//
// # Steps
//
// For each version, [Compile] builds the values that the server builds when it begins to
// serve the version: the structural schema with pruned defaults, the value validators of
// the raw schema, the validator of the rules, and the strategies. The methods of
// [Version] run one step each; a step that changes an object changes it in place.
//
// # Requests
//
// [Version.Create], [Version.Update], [Version.UpdateStatus] and
// [Version.Read] run the steps of a request. Two parts of the server are not exported.
// This package builds them from exported parts: the coercing decoder (coerce.go;
// apiserver/customresource_handler.go) and the order of the create and update handlers
// (request.go;
// endpoints/handlers/{create,update}.go, registry/generic/registry/store.go).
//
// The requests exclude the parts that need a running server: metadata.uid,
// creationTimestamp, random names for generateName, field management, admission,
// authorization, and the checks of resourceVersion and uid by a store. A request is made
// in the namespace of its object, or in "default".
//
// # Chance
//
// Upstream walks Go maps, so the order of errors differs from run to run, and sometimes
// the errors themselves. [SameErrors] compares lists without order. A caller runs
// upstream again before it reports a difference.
package upstream
