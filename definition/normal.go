package definition

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// normalize returns a copy of a definition in the server's spelling: literals are spelled
// as Go spells them, and what versions share has one spelling. It also reports whether
// the spec differs from that of old; without old it does. Both must have defaults set.
//
// The conversions are those of the server, which are part of its types.
func normalize(crd, old *apiextensionsv1.CustomResourceDefinition) (out *apiextensionsv1.CustomResourceDefinition, changed bool, err error) {
	internal, err := internalOf(crd)
	if err != nil {
		return nil, false, err
	}
	changed = true
	if old != nil {
		before, err := internalOf(old)
		if err != nil {
			return nil, false, err
		}
		changed = !equality.Semantic.DeepEqual(before.Spec, internal.Spec)
	}
	shared := &apiextensionsv1.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(internal, shared, nil); err != nil {
		return nil, false, fmt.Errorf("crdkit: %s: %w", titleOf(crd.Name), err)
	}
	shared.TypeMeta = metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
	return shared.DeepCopy(), changed, nil
}

func internalOf(crd *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	out := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, out, nil); err != nil {
		return nil, fmt.Errorf("crdkit: %s: %w", titleOf(crd.Name), err)
	}
	return out, nil
}
