// Package cellib declares the CEL functions and types that each version of kube-apiserver
// adds for validation rules, with their implementations and costs.
//
//	env, err := cel.NewEnv(cel.Lib(cellib.Language(minor))) // of cel-go
//	cost, ok := cellib.PriceOf("find", overload).CallCost("find", overload, args, result) // !ok: cel-go charges
//
// # Semantics
//
// [Language] is the library that extends a cel-go environment as the server does. [Costs]
// charges for calls as the server does. For every minor version and every overload the
// following are the same as in the server: the name, the order of overloads, the types, the
// results, the error texts, the estimated cost, and the actual cost. See
// https://kubernetes.io/docs/reference/using-api/cel/ for the meaning of the functions.
//
// The functions for authorization are declared, so that rules which call them
// are admitted, refused and estimated as in the server. There are no values to
// call them on: rules have no authorizer, and such calls fail when they run.
//
// # Differences from Kubernetes
//
// Rules cannot observe any difference. The server uses k8s.io/apiserver/pkg/cel/library.
// This package does not import it, because it links the values of authorization and through
// them all types of k8s.io/api/core/v1: three megabytes that no rule of a definition can
// reach. The types of the values (quantities, addresses, URLs, formats, versions) are those
// of k8s.io/apiserver/pkg/cel, which does not link these. So values convert, compare and
// print as in the server.
//
// internal/oracle/cellib compares each declaration, each implementation and
// each cost with the server's.
//
// # Concurrency and ownership
//
// Nothing in this package changes after it was made, and everything is safe for
// concurrent use. The one exception is [Costs] with Sizes: it is safe for
// concurrent use only if Sizes is.
package cellib
