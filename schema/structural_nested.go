package schema

import (
	"bytes"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Rules for nested schemas, which are below allOf, anyOf, oneOf and not. They
// must not declare structure. The keywords example and externalDocs are
// allowed.

// nested checks the nested schema n and all schemas below it, except for those
// in additionalProperties, which is an error itself.
func (c *structuralCheck) nested(n *apiextensionsv1.JSONSchemaProps, exemptAnyOf bool) {
	if c.errs.Watch.Ended() {
		return
	}
	c.nestedGenerics(n)
	c.nestedExtensions(n)
	c.nestedAdditionalProperties(n)
	c.nestedMetadata(n)
	c.patternCompiles(n)
	c.values(n, exemptAnyOf, false)
	if items := itemsOf(n); items != nil {
		c.at.Push("items")
		c.nested(items, false)
		c.at.Pop()
	}
	c.nestedProperties(n)
}

// nestedProperties checks the schemas of the properties of n. The elements of a
// map have no address. The copy is declared outside of the loop, because a
// variable of the loop would be allocated for every property.
func (c *structuralCheck) nestedProperties(n *apiextensionsv1.JSONSchemaProps) {
	if len(n.Properties) == 0 {
		return
	}
	var name string
	var property apiextensionsv1.JSONSchemaProps
	for name, property = range n.Properties {
		c.at.PushKey("properties", name)
		c.nested(&property, false)
		c.at.Pop()
	}
}

// nestedGenerics: a nested schema has no type and no description.
func (c *structuralCheck) nestedGenerics(n *apiextensionsv1.JSONSchemaProps) {
	const (
		empty     = "must be empty to be structural"
		undefined = "must be undefined to be structural"
		isFalse   = "must be false to be structural"
	)
	if n.Type != "" {
		c.forbid("type", empty)
	}
	if n.Title != "" {
		c.forbid("title", empty)
	}
	if n.Description != "" {
		c.forbid("description", empty)
	}
	if hasValue(n.Default) {
		c.forbid("default", undefined)
	}
	if n.Nullable {
		c.forbid("nullable", isFalse)
	}
}

// nestedExtensions: a nested schema has no x-kubernetes keyword.
func (c *structuralCheck) nestedExtensions(n *apiextensionsv1.JSONSchemaProps) {
	const (
		empty     = "must be empty to be structural"
		undefined = "must be undefined to be structural"
		isFalse   = "must be false to be structural"
	)
	if preservesUnknown(n) {
		c.forbid("x-kubernetes-preserve-unknown-fields", isFalse)
	}
	if n.XEmbeddedResource {
		c.forbid("x-kubernetes-embedded-resource", isFalse)
	}
	if n.XIntOrString {
		c.forbid("x-kubernetes-int-or-string", isFalse)
	}
	if len(n.XListMapKeys) > 0 {
		c.forbid("x-kubernetes-list-map-keys", empty)
	}
	if n.XListType != nil {
		c.forbid("x-kubernetes-list-type", undefined)
	}
	if n.XMapType != nil {
		c.forbid("x-kubernetes-map-type", undefined)
	}
	if len(n.XValidations) > 0 {
		c.forbid("x-kubernetes-validations", empty)
	}
}

// nestedAdditionalProperties: a nested schema has no additionalProperties. The
// value false is not an error.
func (c *structuralCheck) nestedAdditionalProperties(n *apiextensionsv1.JSONSchemaProps) {
	if restrictsAdditional(n) {
		c.forbid("additionalProperties", "must be undefined to be structural")
	}
}

// nestedMetadata: a nested schema does not constrain metadata, at any depth,
// even if it is not the metadata of a resource.
func (c *structuralCheck) nestedMetadata(n *apiextensionsv1.JSONSchemaProps) {
	if _, ok := n.Properties["metadata"]; ok {
		c.forbidMetadata("must not be specified in a nested context")
	}
}

// isIntOrString reports whether anyOf is exactly {type: integer} and {type:
// string}, in this order. These types are not structure, but another form of
// x-kubernetes-int-or-string. The server does not require that extension, so
// the pattern is exempt everywhere.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#intorstring
func isIntOrString(anyOf []apiextensionsv1.JSONSchemaProps) bool {
	return len(anyOf) == 2 && isOnlyType(&anyOf[0], "integer") && isOnlyType(&anyOf[1], "string")
}

// isOnlyType reports whether the nested schema n declares this type and nothing
// else. Properties that are empty but not nil count.
func isOnlyType(n *apiextensionsv1.JSONSchemaProps, typ string) bool {
	return n.Type == typ && n.Properties == nil && !restrictsAdditional(n) && !hasValue(n.Default) && declaresNothing(n)
}

func restrictsAdditional(n *apiextensionsv1.JSONSchemaProps) bool {
	a := n.AdditionalProperties
	return a != nil && (a.Allows || a.Schema != nil)
}

// declaresNothing reports whether n is empty for the server, apart from type,
// default, properties and additionalProperties. Empty lists that are not nil
// count, except for lists of schemas and for enum.
func declaresNothing(n *apiextensionsv1.JSONSchemaProps) bool {
	return hasNoGenerics(n) && hasNoExtensions(n) && hasNoLimits(n) &&
		len(n.Enum) == 0 && n.Required == nil && itemsOf(n) == nil && !hasJunctors(n)
}

func hasNoGenerics(n *apiextensionsv1.JSONSchemaProps) bool {
	return n.Description == "" && n.Title == "" && !n.Nullable && n.ExternalDocs == nil && !hasValue(n.Example)
}

func hasNoExtensions(n *apiextensionsv1.JSONSchemaProps) bool {
	return !preservesUnknown(n) && !n.XEmbeddedResource && !n.XIntOrString &&
		n.XListMapKeys == nil && n.XListType == nil && n.XMapType == nil && n.XValidations == nil
}

func hasNoLimits(n *apiextensionsv1.JSONSchemaProps) bool {
	return n.Format == "" && n.Pattern == "" && n.MaxLength == nil && n.MinLength == nil &&
		n.Maximum == nil && !n.ExclusiveMaximum && n.Minimum == nil && !n.ExclusiveMinimum && n.MultipleOf == nil &&
		n.MaxItems == nil && n.MinItems == nil && !n.UniqueItems &&
		n.MaxProperties == nil && n.MinProperties == nil
}

// hasJunctors reports whether a schema is nested directly below n.
func hasJunctors(n *apiextensionsv1.JSONSchemaProps) bool {
	return len(n.AllOf) > 0 || len(n.AnyOf) > 0 || len(n.OneOf) > 0 || n.Not != nil
}

// hasValue reports whether j is a value other than null.
func hasValue(j *apiextensionsv1.JSON) bool {
	if j == nil {
		return false
	}
	raw := bytes.TrimSpace(j.Raw)
	return len(raw) > 0 && string(raw) != "null"
}
