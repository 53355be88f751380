// Package v1beta1 has the reviews of apiextensions.k8s.io/v1beta1. A conversion webhook may
// exchange them with the server instead of reviews of version v1.
//
//	err := v1beta1.AddToScheme(scheme)
//	review := &v1beta1.ConversionReview{}
//
// The types and the package have the names that they have in
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1, because errors of decoders contain
// them. That package is not imported: it would add half a megabyte to a program.
package v1beta1
