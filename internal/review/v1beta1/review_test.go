package v1beta1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdkit/crdkit/internal/review/v1beta1"
)

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, obj := range []runtime.Object{
		&v1beta1.ConversionReview{}, &v1beta1.CustomResourceDefinition{}, &v1beta1.CustomResourceDefinitionList{}, &metav1.ListOptions{},
	} {
		kinds, _, err := scheme.ObjectKinds(obj)
		if err != nil || len(kinds) != 1 || kinds[0].GroupVersion().String() != "apiextensions.k8s.io/v1beta1" {
			t.Errorf("kinds of %T: %v, %v", obj, kinds, err)
		}
	}
}

func TestDeepCopyObject(t *testing.T) {
	named := metav1.TypeMeta{Kind: "K", APIVersion: "v"}
	extension := []runtime.RawExtension{{Raw: []byte("{}")}}
	review := &v1beta1.ConversionReview{
		TypeMeta: named,
		Request:  &v1beta1.ConversionRequest{UID: "a", DesiredAPIVersion: "b", Objects: extension},
		Response: &v1beta1.ConversionResponse{UID: "c", ConvertedObjects: extension, Result: metav1.Status{Message: "d"}},
	}
	for _, obj := range []runtime.Object{
		review, &v1beta1.ConversionReview{TypeMeta: named},
		&v1beta1.CustomResourceDefinition{TypeMeta: named}, &v1beta1.CustomResourceDefinitionList{TypeMeta: named},
	} {
		if diff := cmp.Diff(obj, obj.DeepCopyObject()); diff != "" {
			t.Errorf("the copy of %T differs (-want +got):\n%s", obj, diff)
		}
	}
	deep := review.DeepCopyObject().(*v1beta1.ConversionReview)
	extension[0].Raw[0] = '['
	if string(deep.Request.Objects[0].Raw) != "{}" || string(deep.Response.ConvertedObjects[0].Raw) != "{}" {
		t.Errorf("the copy shares its objects with the original")
	}
}
