package v1beta1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Version is the version of this package's types.
const Version = "v1beta1"

// AddToScheme adds the types of this version to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	version := schema.GroupVersion{Group: apiextensionsv1.GroupName, Version: Version}
	scheme.AddKnownTypes(version, &CustomResourceDefinition{}, &CustomResourceDefinitionList{}, &ConversionReview{})
	metav1.AddToGroupVersion(scheme, version)
	return nil
}

// ConversionReview is the request to a conversion webhook, or its response.
type ConversionReview struct {
	metav1.TypeMeta `json:",inline"`
	Request         *ConversionRequest  `json:"request,omitempty"`
	Response        *ConversionResponse `json:"response,omitempty"`
}

// ConversionRequest has the fields of version v1.
type ConversionRequest apiextensionsv1.ConversionRequest

// ConversionResponse has the fields of version v1.
type ConversionResponse apiextensionsv1.ConversionResponse

func (r *ConversionReview) DeepCopyObject() runtime.Object {
	return &ConversionReview{
		TypeMeta: r.TypeMeta,
		Request:  (*ConversionRequest)((*apiextensionsv1.ConversionRequest)(r.Request).DeepCopy()),
		Response: (*ConversionResponse)((*apiextensionsv1.ConversionResponse)(r.Response).DeepCopy()),
	}
}

// CustomResourceDefinition is the type of a definition, without its fields.
type CustomResourceDefinition struct {
	metav1.TypeMeta `json:",inline"`
}

func (d *CustomResourceDefinition) DeepCopyObject() runtime.Object {
	return &CustomResourceDefinition{d.TypeMeta}
}

// CustomResourceDefinitionList is the type of a list of definitions, without its fields.
type CustomResourceDefinitionList struct {
	metav1.TypeMeta `json:",inline"`
}

func (l *CustomResourceDefinitionList) DeepCopyObject() runtime.Object {
	return &CustomResourceDefinitionList{l.TypeMeta}
}
