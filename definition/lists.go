package definition

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

func listType(s *apiextensionsv1.JSONSchemaProps) string {
	if s.XListType == nil {
		return ""
	}
	return *s.XListType
}

func itemsOf(s *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// listsAndMaps checks how lists and maps are merged.
//
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
func (c *checker) listsAndMaps(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if s.XMapType != nil {
		c.typeFor("object", s.Type, at, "must be object if x-kubernetes-map-type is specified")
		if accepted := []string{"atomic", "granular"}; !slices.Contains(accepted, *s.XMapType) {
			c.unsupported(at.Child("x-kubernetes-map-type"), *s.XMapType, accepted)
		}
	}
	if s.XListType != nil {
		if s.Type == "array" {
			c.atomicSet(s, at)
		}
		c.typeFor("array", s.Type, at, "must be array if x-kubernetes-list-type is specified")
		if accepted := []string{"atomic", "set", "map"}; !slices.Contains(accepted, *s.XListType) {
			c.unsupported(at.Child("x-kubernetes-list-type"), *s.XListType, accepted)
		}
	}
	c.keysOfMapOnly(s, at)
	if listType(s) == "map" {
		c.mapList(s, at)
	}
	if c.opts.soundKeys {
		c.soundKeys(s, at)
	}
}

func (c *checker) typeFor(want, typ string, at *pathstack.Chain, text string) {
	switch typ {
	case want:
	case "":
		c.required(at.Child("type"), text)
	default:
		c.invalid(at.Child("type"), typ, text)
	}
}

// nonAtomicItems returns the keyword that makes the elements of a list not atomic, or "".
func nonAtomicItems(s *apiextensionsv1.JSONSchemaProps) string {
	items := itemsOf(s)
	if items == nil {
		return ""
	}
	switch items.Type {
	case "array": // atomic unless it says otherwise
		if items.XListType != nil && *items.XListType != "atomic" {
			return "x-kubernetes-list-type"
		}
	case "object": // granular unless it says otherwise
		if items.XMapType == nil || *items.XMapType != "atomic" {
			return "x-kubernetes-map-type"
		}
	}
	return ""
}

func (c *checker) atomicSet(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if !c.opts.atomicSets || *s.XListType != "set" {
		return
	}
	if keyword := nonAtomicItems(s); keyword != "" {
		// The value is that of the list type for either keyword.
		c.invalid(at.Child("items").Child(keyword), s.Items.Schema.XListType,
			"must be atomic as item of a list with x-kubernetes-list-type=set")
	}
}

func (c *checker) keysOfMapOnly(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	const text = "must be map if x-kubernetes-list-map-keys is non-empty"
	switch {
	case len(s.XListMapKeys) == 0:
	case s.XListType == nil:
		c.required(at.Child("x-kubernetes-list-type"), text)
	case *s.XListType != "map":
		c.invalid(at.Child("x-kubernetes-list-type"), *s.XListType, text)
	}
}

func (c *checker) mapList(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	if len(s.XListMapKeys) == 0 {
		c.required(at.Child("x-kubernetes-list-map-keys"), "must not be empty if x-kubernetes-list-type is map")
	}
	items := itemsOf(s)
	switch {
	case s.Items == nil:
		c.required(at.Child("items"), "must have a schema if x-kubernetes-list-type is map")
	case items == nil:
		c.invalid(at.Child("items"), s.Items, "must only have a single schema if x-kubernetes-list-type is map")
	case items.Type != "object":
		c.invalid(at.Child("items").Child("type"), items.Type, "must be object if parent array's x-kubernetes-list-type is map")
	default:
		c.mapKeys(s, items, at)
	}
}

func (c *checker) mapKeys(s, items *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	seen := map[string]bool{}
	for _, key := range s.XListMapKeys {
		property, ok := items.Properties[key]
		switch {
		case !ok:
			c.invalid(at.Child("x-kubernetes-list-map-keys"), s.XListMapKeys, "entries must all be names of item properties")
		case property.Type == "array" || property.Type == "object":
			// The value is the type of the elements, not that of the key.
			c.invalid(at.Child("items").Child("properties").Key(key).Child("type"), items.Type,
				"must be a scalar type if parent array's x-kubernetes-list-type is map")
		}
		if seen[key] {
			c.invalid(at.Child("x-kubernetes-list-map-keys"), s.XListMapKeys, "must not contain duplicate entries")
		}
		seen[key] = true
	}
}

// soundKeys checks that elements of sets and map lists are not nullable, and that keys are
// required or have defaults.
func (c *checker) soundKeys(s *apiextensionsv1.JSONSchemaProps, at *pathstack.Chain) {
	items := itemsOf(s)
	typ := listType(s)
	if items == nil || typ != "set" && typ != "map" {
		return
	}
	if items.Nullable {
		c.forbidden(at.Child("items").Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+typ)
	}
	if typ == "set" {
		return
	}
	required := map[string]bool{}
	for _, name := range items.Required {
		required[name] = true
	}
	for _, key := range s.XListMapKeys {
		property, ok := items.Properties[key]
		if !ok {
			continue
		}
		if property.Default == nil && !required[key] {
			c.required(at.Child("items").Child("properties").Key(key).Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property")
		}
		if property.Nullable {
			c.forbidden(at.Child("items").Child("properties").Key(key).Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")
		}
	}
}
