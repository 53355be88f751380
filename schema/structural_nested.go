package schema

import (
	"bytes"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Rules for nested schemas, which are below allOf, anyOf, oneOf and not. They
// must not declare structure. The keywords example and externalDocs are
// allowed.

func (c *structuralCheck) nested(n *apiextensionsv1.JSONSchemaProps) {
	const (
		empty     = "must be empty to be structural"
		undefined = "must be undefined to be structural"
		isFalse   = "must be false to be structural"
	)
	for _, rule := range [...]struct {
		broken          bool
		keyword, detail string
	}{
		{n.Type != "", "type", empty},
		{n.Title != "", "title", empty},
		{n.Description != "", "description", empty},
		{hasValue(n.Default), "default", undefined},
		{n.Nullable, "nullable", isFalse},
		{preservesUnknown(n), "x-kubernetes-preserve-unknown-fields", isFalse},
		{n.XEmbeddedResource, "x-kubernetes-embedded-resource", isFalse},
		{n.XIntOrString, "x-kubernetes-int-or-string", isFalse},
		{len(n.XListMapKeys) > 0, "x-kubernetes-list-map-keys", empty},
		{n.XListType != nil, "x-kubernetes-list-type", undefined},
		{n.XMapType != nil, "x-kubernetes-map-type", undefined},
		{len(n.XValidations) > 0, "x-kubernetes-validations", empty},
		{restrictsAdditional(n), "additionalProperties", undefined}, // the value false is not an error
	} {
		if rule.broken {
			c.forbid(rule.keyword, rule.detail)
		}
	}
	// At any depth, even if it is not the metadata of a resource.
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
// count, except for lists of schemas and for enum. Keywords that the server does not support
// are errors of their own.
func declaresNothing(n *apiextensionsv1.JSONSchemaProps) bool {
	if len(n.Enum) > 0 || itemsOf(n) != nil || hasJunctors(n) || hasValue(n.Example) || preservesUnknown(n) {
		return false
	}
	rest := *n
	rest.Enum, rest.Items, rest.AllOf, rest.AnyOf, rest.OneOf, rest.Example, rest.XPreserveUnknownFields = nil, nil, nil, nil, nil, nil, nil
	rest.Type, rest.Default, rest.Properties, rest.AdditionalProperties = "", nil, nil, nil
	rest.ID, rest.Schema, rest.Ref, rest.PatternProperties, rest.Dependencies = "", "", nil, nil, nil
	rest.AdditionalItems, rest.Definitions = nil, nil
	return reflect.ValueOf(rest).IsZero()
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
