// Package cellib declares the language that the rules of kube-apiserver are
// written in, version by version: the functions and types that the server adds
// to CEL, what they do, and what they cost.
//
// # Semantics
//
// [Language] is what an environment of cel-go has to be extended with to know
// what the server knows, and [Costs] charges for it as the server does. For every
// minor version and each overload of each function these are the same as in the
// server: its name and place among the others, the types, the results and the
// words of errors, what is estimated of a call, and what it costs when it runs.
// See https://kubernetes.io/docs/reference/using-api/cel/ for what the functions
// are for.
//
// The functions for authorization are declared, so that the rules which call
// them are admitted, refused and estimated as the server does, but there are no
// values to call them on: rules have no authorizer, and such calls fail when
// they run.
//
// # Differences from Kubernetes
//
// There are none that rules can tell. The server takes all this from
// k8s.io/apiserver/pkg/cel/library. Importing that package links the values of
// authorization, too, and through them all types of k8s.io/api/core/v1: three
// megabytes that no rule of a definition can reach, and which are the reason
// that this package exists. The types of the values (quantities, addresses,
// URLs, formats, versions) are those of k8s.io/apiserver/pkg/cel, which links
// nothing of the kind, so that they convert, compare and print alike.
//
// internal/oracle/cellib holds each declaration, each implementation and each
// price against the server's.
//
// # Concurrency and ownership
//
// Nothing here changes after it was made, and everything is safe for concurrent
// use, with one exception: [Costs] asks the estimator of sizes that its user
// gave it, and is for as many goroutines as that is.
package cellib
