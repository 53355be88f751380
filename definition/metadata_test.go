package definition

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestMetadataPointers: errors about annotations, labels and finalizers have the value
// only. It leads to the first that has it; a key counts before a value. An index among the
// owner references without duplicates becomes the one among those that were given.
func TestMetadataPointers(t *testing.T) {
	crd := decodeCRD(t, `{"metadata":{"annotations":{"b":"v","a":"v","v2":"a","c/d":"e"},"labels":{"l":"w"},"finalizers":["f","g","f"],
		"ownerReferences":[{"name":"a"},{"name":"a"},{"name":"b"}]}}`)
	m := dropDuplicateOwners(crd)
	for _, tt := range []struct {
		field string
		value any
		want  string
	}{
		{"metadata.annotations", "v", "/metadata/annotations/a"},
		{"metadata.annotations", "a", "/metadata/annotations/a"},
		{"metadata.annotations", "e", "/metadata/annotations/c~1d"},
		{"metadata.annotations", "w", "/metadata/annotations"},
		{"metadata.annotations", 7, "/metadata/annotations"},
		{"metadata.labels", "w", "/metadata/labels/l"},
		{"metadata.labels", "l", "/metadata/labels/l"},
		{"metadata.finalizers", "f", "/metadata/finalizers/0"},
		{"metadata.finalizers", "g", "/metadata/finalizers/1"},
		{"metadata.finalizers", "h", "/metadata/finalizers"},
		{"metadata.name", "f", "/metadata/name"},
		{"metadata.managedFields[1].fieldsType", "f", "/metadata/managedFields/1/fieldsType"},
		{"metadata.ownerReferences", "", "/metadata/ownerReferences"},
		{"metadata.ownerReferences[0]", "", "/metadata/ownerReferences/0"},
		{"metadata.ownerReferences[1]", "", "/metadata/ownerReferences/2"},
		{"metadata.ownerReferences[1].name", "", "/metadata/ownerReferences/2/name"},
	} {
		if got := m.pointer(&field.Error{Field: tt.field, BadValue: tt.value}); got != tt.want {
			t.Errorf("pointer of %s with %v = %s, want %s", tt.field, tt.value, got, tt.want)
		}
	}
}
