package objectmeta

import (
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/schema"
)

// unknownPaths returns a path for each strict decoding error, in their order.
// The string of the path is that of the error.
//
// An error has only a string, so the steps are found in the value. A string
// that is not the path of an unknown field becomes a single step; that happens
// if a key is not valid UTF-8.
func unknownPaths(raw any, strict []error) []schema.Path {
	if len(strict) == 0 {
		return nil
	}
	found := unknownFields(raw)
	paths := make([]schema.Path, 0, len(strict))
	for _, err := range strict {
		fieldErr, ok := err.(kjson.FieldError)
		if !ok {
			continue
		}
		p := schema.Path{schema.Field("metadata"), schema.Field(fieldErr.FieldPath())}
		if exact, ok := found[p.String()]; ok {
			p = exact
		}
		paths = append(paths, p)
	}
	return paths
}

// unknownFields returns the paths of the unknown fields of metadata by string.
func unknownFields(raw any) map[string]schema.Path {
	found := map[string]schema.Path{}
	add := func(p schema.Path) { found[p.String()] = p }
	m, _ := raw.(map[string]any)
	for name, v := range m {
		switch memberOf(name) {
		case memberUnknown:
			add(schema.Path{schema.Field("metadata"), schema.Field(name)})
		case memberOwnerReferences:
			unknownOfEntries(name, v, "apiVersion kind name uid controller blockOwnerDeletion", add)
		case memberManagedFields:
			unknownOfEntries(name, v, "manager operation apiVersion time fieldsType fieldsV1 subresource", add)
		}
	}
	return found
}

// unknownOfEntries adds the paths of the members that are not among the known ones.
func unknownOfEntries(list string, v any, known string, add func(schema.Path)) {
	names := strings.Fields(known)
	entries, _ := v.([]any)
	for i, e := range entries {
		m, _ := e.(map[string]any)
		for name := range m {
			if !slices.Contains(names, name) {
				add(schema.Path{schema.Field("metadata"), schema.Field(list), schema.Index(i), schema.Field(name)})
			}
		}
	}
}
