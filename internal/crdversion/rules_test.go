package crdversion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestCheckVersionsWantsUniqueNamesAndOneStorageVersion(t *testing.T) {
	const unique = "versions: Invalid value: must contain unique version names"
	const storage = "versions: Invalid value: must have exactly one version marked as storage version"
	v1, v2 := apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1"}, apiextensionsv1.CustomResourceDefinitionVersion{Name: "v2"}
	stored := apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Storage: true}
	for _, tt := range []struct {
		versions []apiextensionsv1.CustomResourceDefinitionVersion
		want     []string
	}{
		{nil, []string{storage}},
		{[]apiextensionsv1.CustomResourceDefinitionVersion{stored}, nil},
		{[]apiextensionsv1.CustomResourceDefinitionVersion{stored, v2}, nil},
		{[]apiextensionsv1.CustomResourceDefinitionVersion{v1, v2}, []string{storage}},
		{[]apiextensionsv1.CustomResourceDefinitionVersion{stored, v1, v1}, []string{unique}},
		{[]apiextensionsv1.CustomResourceDefinitionVersion{stored, stored}, []string{unique, storage}},
	} {
		var got []string
		for _, err := range CheckVersions(tt.versions, field.NewPath("versions"), field.OmitValueType{}) {
			got = append(got, err.Error())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.versions, diff)
		}
	}
}
