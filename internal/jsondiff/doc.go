// Package jsondiff says where two decoded JSON values differ.
//
// # Semantics
//
// Objects are compared by field and lists by index: an element put in front of a
// list changes all that follow. What is on one side only is one difference,
// however much there is below it. Numbers of different kinds differ, as they do
// in package jsonval.
//
// # Differences from Kubernetes
//
// None; the server has no such thing.
//
// # Concurrency and ownership
//
// Nothing is changed. Differences refer to parts of the values.
package jsondiff
