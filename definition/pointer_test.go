package definition

import (
	"fmt"
	"testing"
)

// TestPointerOfField: the field of an error leads to the value that it means. Names may
// have dots and brackets in them; what the definition lacks has the pointer that it would
// have.
func TestPointerOfField(t *testing.T) {
	l := newLocator(decodeCRD(t, fmt.Sprintf(checkCRD, "", `{"type":"object","definitions":{"d":{"not":{}}},
		"additionalProperties":{"not":{}},"not":{"not":{}},"allOf":[{},{"not":{}}],"anyOf":[{"not":{}}],"oneOf":[{"not":{}}],
		"properties":{"a":{"type":"object"},"a].b":{"type":"object"},"l":{"type":"array","items":{"properties":{"x/y":{}}},
			"default":[[{"k":1}],{"k.l":{"":1,"m[0]":2},"k":[3]}]}}}`)), nil)
	const root = "/spec/versions/0/schema/openAPIV3Schema"
	for field, want := range map[string]string{
		"spec.group":                              "/spec/group",
		"spec..group":                             "/spec/.group",
		"spec.[group]":                            "/spec/[group]",
		"spec.names.shortNames[2]":                "/spec/names/shortNames/2",
		"spec.versions[0].name":                   "/spec/versions/0/name",
		"spec.versions[0":                         "/spec/versions/0",
		"spec.versions[]":                         "/spec/versions/",
		"metadata.annotations":                    "/metadata/annotations",
		"metadata.annotations[a/b.c]":             "/metadata/annotations/a~1b.c",
		"spec.version":                            "/spec/versions/0/name",
		"spec.versionX":                           "/spec/versionX",
		"spec.schema.openAPIV3Schema":             root,
		"spec.validation.openAPIV3Schema.type":    root + "/type",
		"spec.validation":                         "/spec/versions/0/schema",
		"spec.subresources.status":                "/spec/versions/0/subresources/status",
		"spec.selectableFields[1].jsonPath":       "/spec/versions/0/selectableFields/1/jsonPath",
		"spec.additionalPrinterColumns[0]":        "/spec/versions/0/additionalPrinterColumns/0",
		"spec.versions[1].schema.openAPIV3Schema": "/spec/versions/1/schema/openAPIV3Schema",
		"spec.versions[-1].schema.openAPIV3Schema.properties[a].b": "/spec/versions/-1/schema/openAPIV3Schema/properties/a/b",
		"spec.versions[x].schema.openAPIV3Schema.properties[a]":    "/spec/versions/x/schema/openAPIV3Schema/properties/a",
	} {
		if got := l.pointer(field); got != want {
			t.Errorf("pointer(%s) = %s, want %s", field, got, want)
		}
	}
	for field, want := range map[string]string{
		".properties":                               "/properties",
		".properties[a]":                            "/properties/a",
		".properties[a].type":                       "/properties/a/type",
		".properties[a].b]":                         "/properties/a].b",
		".properties[a].b].default":                 "/properties/a].b/default",
		".properties[b].not":                        "/properties/b/not",
		".properties.a":                             "/properties/a",
		".definitions[d].not.not":                   "/definitions/d/not/not",
		".additionalProperties.not.not.id":          "/additionalProperties/not/not/id",
		".not.additionalProperties.x":               "/not/additionalProperties/x",
		".not.not.type":                             "/not/not/type",
		".allOf":                                    "/allOf",
		".allOf[1].not":                             "/allOf/1/not",
		".allOf[2].not":                             "/allOf/2/not",
		".allOf[-1].not":                            "/allOf/-1/not",
		".anyOf[0].not":                             "/anyOf/0/not",
		".oneOf[0].not":                             "/oneOf/0/not",
		".properties[l].items.properties[x/y].type": "/properties/l/items/properties/x~1y/type",
		".properties[l].default":                    "/properties/l/default",
		".properties[a].default.x":                  "/properties/a/default",
		".properties[l].default[0][0].k":            "/properties/l/default/0/0/k",
		".properties[l].default.[0].[0].k":          "/properties/l/default/0/0/k",
		".properties[l].default[2].k":               "/properties/l/default",
		".properties[l].default[-1].k":              "/properties/l/default",
		".properties[l].default[1].k.l":             "/properties/l/default/1/k.l",
		".properties[l].default[1].k.l.m[0]":        "/properties/l/default/1/k.l/m[0]",
		".properties[l].default[1].k[0]":            "/properties/l/default/1/k/0",
		".properties[l].default[1][k][0]":           "/properties/l/default/1/k/0",
		".properties[l].default[1].kx":              "/properties/l/default/1",
		".properties[l].default[1][k":               "/properties/l/default/1",
		".properties[l].default[1].k.l.":            "/properties/l/default/1/k.l",
		".properties[l].default[1].k[0].x":          "/properties/l/default/1/k/0",
	} {
		if got := l.pointer("spec.versions[0].schema.openAPIV3Schema" + field); got != root+want {
			t.Errorf("pointer(%s) = %s, want %s", field, got, root+want)
		}
	}
}

// TestMetadataPointers: errors about annotations, labels and finalizers have the value
// only. It leads to the first that has it; a key counts before a value.
func TestMetadataPointers(t *testing.T) {
	crd := decodeCRD(t, `{"metadata":{"annotations":{"b":"v","a":"v","v2":"a","c/d":"e"},"labels":{"l":"w"},"finalizers":["f","g","f"]}}`)
	m := metadataLocator{meta: &crd.ObjectMeta}
	for _, tt := range []struct {
		pointer string
		value   any
		want    string
	}{
		{"/metadata/annotations", "v", "/metadata/annotations/a"},
		{"/metadata/annotations", "a", "/metadata/annotations/a"},
		{"/metadata/annotations", "e", "/metadata/annotations/c~1d"},
		{"/metadata/annotations", "w", "/metadata/annotations"},
		{"/metadata/annotations", 7, "/metadata/annotations"},
		{"/metadata/labels", "w", "/metadata/labels/l"},
		{"/metadata/labels", "l", "/metadata/labels/l"},
		{"/metadata/finalizers", "f", "/metadata/finalizers/0"},
		{"/metadata/finalizers", "g", "/metadata/finalizers/1"},
		{"/metadata/finalizers", "h", "/metadata/finalizers"},
		{"/metadata/name", "f", "/metadata/name"},
	} {
		if got := m.extend(tt.pointer, tt.value); got != tt.want {
			t.Errorf("extend(%s, %v) = %s, want %s", tt.pointer, tt.value, got, tt.want)
		}
	}
}

// TestPointersOfKeptOwners: an index among the owner references without duplicates becomes
// the one among those that were given.
func TestPointersOfKeptOwners(t *testing.T) {
	o := owners{was: []int{0, 2}}
	for pointer, want := range map[string]string{
		"/metadata/ownerReferences":         "/metadata/ownerReferences",
		"/metadata/ownerReferences/0":       "/metadata/ownerReferences/0",
		"/metadata/ownerReferences/1":       "/metadata/ownerReferences/2",
		"/metadata/ownerReferences/1/name":  "/metadata/ownerReferences/2/name",
		"/metadata/ownerReferences/1/a/b":   "/metadata/ownerReferences/2/a/b",
		"/metadata/ownerReferences/2":       "/metadata/ownerReferences/2",
		"/metadata/ownerReferences/-1/name": "/metadata/ownerReferences/-1/name",
		"/metadata/ownerReferences/x":       "/metadata/ownerReferences/x",
		"/spec/1":                           "/spec/1",
	} {
		if got := o.pointer(pointer); got != want {
			t.Errorf("pointer(%s) = %s, want %s", pointer, got, want)
		}
	}
}

// TestNearTheLimit: a cost is near its limit if it is more than half of it and not over it.
func TestNearTheLimit(t *testing.T) {
	for cost, want := range map[uint64]bool{0: false, 50: false, 51: true, 100: true, 101: false} {
		if got := near(cost, 100); got != want {
			t.Errorf("near(%d, 100) = %v, want %v", cost, got, want)
		}
	}
}
