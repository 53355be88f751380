package compat

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// eachSchema calls visit for a schema and those below it. old is the schema at the same path
// of another schema, nil if that has none. field and pointer lead to the schema.
func eachSchema(old, v *apiextensionsv1.JSONSchemaProps, field, pointer string, visit func(old, v *apiextensionsv1.JSONSchemaProps, field, pointer string)) {
	visit(old, v, field, pointer)
	if old == nil {
		old = &apiextensionsv1.JSONSchemaProps{}
	}
	for _, name := range slices.Sorted(maps.Keys(v.Properties)) {
		child, path := v.Properties[name], name
		if field != "" {
			path = field + "." + name
		}
		var before *apiextensionsv1.JSONSchemaProps
		if s, ok := old.Properties[name]; ok {
			before = &s
		}
		eachSchema(before, &child, path, propertyPointer(pointer, name), visit)
	}
	if items := valueOf(v.Items).Schema; items != nil {
		eachSchema(valueOf(old.Items).Schema, items, field+"[*]", pointer+"/items", visit)
	}
	if additional := valueOf(v.AdditionalProperties).Schema; additional != nil {
		eachSchema(valueOf(old.AdditionalProperties).Schema, additional, field+"[*]", pointer+"/additionalProperties", visit)
	}
}
