package schema

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// unsupported returns the text of the error of the server for a keyword that it
// does not support, "" if there is none. The server checks this before any
// structural rule. Of several errors, unsupported returns the first in the
// order of the server: a schema before those below it, nested schemas before
// elements, elements before fields. The server visits fields in random order,
// this function in increasing order of name. A nil props has no error.
func unsupported(props *apiextensionsv1.JSONSchemaProps) string { return unsupportedIn(props, false) }

// unsupportedIn is like unsupported. If unstructured is set, it ignores
// $schema.
func unsupportedIn(props *apiextensionsv1.JSONSchemaProps, unstructured bool) string {
	if props == nil {
		return ""
	}
	if text := unsupportedKeyword(props, unstructured); text != "" {
		return text
	}
	if text := unsupportedInJunctors(props, unstructured); text != "" {
		return text
	}
	if x := props.XPreserveUnknownFields; x != nil && !*x {
		return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
	}
	if text := unsupportedInItems(props, unstructured); text != "" {
		return text
	}
	if text := unsupportedInProperties(props, unstructured); text != "" {
		return text
	}
	if props.AdditionalProperties == nil {
		return ""
	}
	return unsupportedIn(props.AdditionalProperties.Schema, unstructured)
}

// unsupportedKeyword: a schema has no keyword of JSON Schema that the server
// does not support.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation
func unsupportedKeyword(props *apiextensionsv1.JSONSchemaProps, unstructured bool) string {
	var keyword string
	switch {
	case props.ID != "":
		keyword = "id"
	case props.Schema != "" && !unstructured:
		keyword = "schema"
	case props.Ref != nil && *props.Ref != "":
		keyword = "$ref"
	case len(props.PatternProperties) > 0:
		keyword = "patternProperties"
	case len(props.Dependencies) > 0:
		keyword = "dependencies"
	case props.AdditionalItems != nil:
		keyword = "additionalItems"
	case len(props.Definitions) > 0:
		keyword = "definitions"
	default:
		return ""
	}
	return "OpenAPIV3Schema '" + keyword + "' is not supported"
}

func unsupportedInJunctors(props *apiextensionsv1.JSONSchemaProps, unstructured bool) string {
	if text := unsupportedIn(props.Not, unstructured); text != "" {
		return text
	}
	for _, nested := range [...][]apiextensionsv1.JSONSchemaProps{props.AllOf, props.AnyOf, props.OneOf} {
		for i := range nested {
			if text := unsupportedIn(&nested[i], unstructured); text != "" {
				return text
			}
		}
	}
	return ""
}

// unsupportedInItems: all elements of an array have the same schema.
func unsupportedInItems(props *apiextensionsv1.JSONSchemaProps, unstructured bool) string {
	if props.Items == nil {
		return ""
	}
	if len(props.Items.JSONSchemas) > 0 {
		return "OpenAPIV3Schema 'items' must be a schema, but is an array"
	}
	return unsupportedIn(props.Items.Schema, unstructured)
}

// unsupportedInProperties visits every property once, in the order of the map,
// and keeps the text for the smallest name. It declares its copy of the schema
// outside of the loop as [structuralCheck.nestedProperties] does.
func unsupportedInProperties(props *apiextensionsv1.JSONSchemaProps, unstructured bool) string {
	if len(props.Properties) == 0 {
		return ""
	}
	var name, first, found string
	var property apiextensionsv1.JSONSchemaProps
	for name, property = range props.Properties {
		if found != "" && name > first {
			continue
		}
		if text := unsupportedIn(&property, unstructured); text != "" {
			first, found = name, text
		}
	}
	return found
}
