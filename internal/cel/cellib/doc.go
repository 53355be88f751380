// Package cellib declares the CEL functions and types that each version of kube-apiserver adds for
// validation rules, with their implementations and costs.
//
//	env, err := cel.NewEnv(cel.Lib(cellib.Language(minor))) // of cel-go
//	cost, ok := cellib.PriceOf("find", overload).CallCost("find", overload, args, result) // !ok: cel-go charges
//
// [Language] is the library that extends a cel-go environment as the server does. [Costs] charges
// for calls as the server does. For every minor version and every overload, names, types, the order
// of overloads, results, error texts and costs are the same as in the server;
// internal/oracle/cellib compares them. See https://kubernetes.io/docs/reference/using-api/cel/ for
// the meaning of the functions.
//
// The functions for authorization are only declared. So rules that call them are admitted, refused
// and estimated as in the server. But rules have no authorizer to call them on.
//
// The package does not import k8s.io/apiserver/pkg/cel/library. For authorization that package
// links all types of k8s.io/api/core/v1, three megabytes. The types of values are the types of
// k8s.io/apiserver/pkg/cel, so values convert, compare and print as in the server.
//
// Everything is safe for concurrent use, except a [Costs] with unsafe Sizes.
package cellib
