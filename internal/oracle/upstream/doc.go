// Package upstream runs kube-apiserver's own code on one version of one
// definition, step by step and as whole requests, and returns plain data: the
// object as JSON, paths, error lists, cost. It is the oracle: nothing of
// crdkit's is used here, and upstream is called in its default configuration.
//
// # Steps
//
// [Compile] builds for a version what the server builds when it begins to serve
// it: the structural schema with pruned defaults, the value validators of the
// raw schema, the validator of the rules, and the strategies. The methods of
// [Version] run one step each; what changes an object changes it in place.
//
// # Requests
//
// [Version.Create], [Version.Update], [Version.UpdateStatus] and
// [Version.Read] go through the steps as a request does. Two pieces of the
// server are not exported and are put together here again from exported parts:
// the coercing decoder (coerce.go; apiserver/customresource_handler.go) and the
// order of the create and update handlers (request.go;
// endpoints/handlers/{create,update}.go, registry/generic/registry/store.go).
//
// Left out is what only a running server can give: metadata.uid,
// creationTimestamp and a name made from generateName, field management,
// admission, authorization, and a store's demand for a resourceVersion and a
// matching uid. Requests are made in the namespace of their object, or in
// "default".
//
// # Chance
//
// Upstream walks Go maps, so that the order of errors, and sometimes which
// errors there are, differs from run to run. [SameErrors] compares lists
// without order. Whoever compares runs upstream again before calling a
// difference one.
package upstream
