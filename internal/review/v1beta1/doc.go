// Package v1beta1 has the reviews of apiextensions.k8s.io/v1beta1, which a
// conversion webhook may exchange with the server instead of those of version v1.
//
//	err := v1beta1.AddToScheme(scheme)
//	review := &v1beta1.ConversionReview{}
//
// The types and the name of the package are those of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1, because the errors of
// decoders name them. That package is not imported: it would add half a megabyte to a
// program.
package v1beta1
