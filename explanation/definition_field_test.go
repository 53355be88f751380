package explanation_test

import (
	"testing"

	"github.com/crdkit/crdkit/explanation"
)

func TestDefinitionField(t *testing.T) {
	for pointer, want := range map[string]string{
		"/spec/grup":      `spec has no field "grup"; did you mean "group"?`,
		"/Spec":           `the object has no field "Spec"; did you mean "spec"?`,
		"/metadata/labls": `metadata has no field "labls"; did you mean "labels"?`,
		"/spec/versions/0/schema/openAPIV3Schema/properties/a.b/typ":                 `spec.versions[0].schema.openAPIV3Schema.properties.a.b has no field "typ"; did you mean "type"?`,
		"/spec/versions/0/schema/openAPIV3Schema/items/maxlength":                    `spec.versions[0].schema.openAPIV3Schema.items has no field "maxlength"; did you mean "maxLength"?`,
		"/spec/versions/0/schema/openAPIV3Schema/items/1/maxlength":                  `spec.versions[0].schema.openAPIV3Schema.items[1] has no field "maxlength"; did you mean "maxLength"?`,
		"/spec/versions/0/schema/openAPIV3Schema/additionalProperties/tipe":          `spec.versions[0].schema.openAPIV3Schema.additionalProperties has no field "tipe"; did you mean "type"?`,
		"/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-validations/2/mesage":  `spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[2] has no field "mesage"; did you mean "message"?`,
		"/spec/versions/0/schema/openAPIV3Schema/x-kubernetes-preserve-unknown-feld": `spec.versions[0].schema.openAPIV3Schema has no field "x-kubernetes-preserve-unknown-feld"; did you mean "x-kubernetes-preserve-unknown-fields"?`,
		"/spec/names/something": `spec.names has no field "something"; it has categories, kind, listKind, plural, shortNames, singular`,

		"": "", "/spec": "", "/spec/group": "", "/spec/group/x": "", "/metadata/labels/x": "", "/metadata/creationTimestamp/x": "",
		"/spec/versions/0/schema/openAPIV3Schema/default/x": "",
	} {
		got := ""
		if why := explanation.DefinitionField(pointer); why != nil {
			got = why.Text
		}
		if got != want {
			t.Errorf("DefinitionField(%q) = %q, want %q", pointer, got, want)
		}
	}
}
