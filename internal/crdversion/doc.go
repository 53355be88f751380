// Package crdversion holds what several packages do with one version of a
// CustomResourceDefinition: compile its schema as kube-apiserver serves it, and
// compare it with the schema of another version.
//
//	for i := range crd.Spec.Versions {
//		node, errs := crdversion.Compile(crd, i)
//		...
//	}
//
// It is the one owner of the step from a definition to the schema tree of a
// version. The root package serves objects with the tree; package definition
// judges the definition with its parts.
//
// All functions may be called from several goroutines. They change nothing that
// they are given.
package crdversion
