package schema

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Rules for types. They do not check whether a type exists: "type: foo" is
// structural.

// arrayHasItems: an array declares the schema of its elements.
func (c *structuralCheck) arrayHasItems(n *apiextensionsv1.JSONSchemaProps) {
	if n.Type == "array" && itemsOf(n) == nil {
		c.require("items", "must be specified")
	}
}

// rootHasNoAdditionalProperties: the root declares its fields one by one. Even
// additionalProperties: false is an error.
func (c *structuralCheck) rootHasNoAdditionalProperties(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if level == levelRoot && n.AdditionalProperties != nil {
		c.forbid("additionalProperties", "must not be used at the root")
	}
}

// intOrStringStandsAlone: x-kubernetes-int-or-string replaces a type and
// excludes the other extensions that do.
func (c *structuralCheck) intOrStringStandsAlone(n *apiextensionsv1.JSONSchemaProps) {
	if !n.XIntOrString {
		return
	}
	const detail = "must be false if x-kubernetes-int-or-string is true"
	if preservesUnknown(n) {
		c.invalid("x-kubernetes-preserve-unknown-fields", true, detail)
	}
	if n.XEmbeddedResource {
		c.invalid("x-kubernetes-embedded-resource", true, detail)
	}
}

// typeIsStated: a schema has a type, and an embedded resource has the type
// object. The extensions int-or-string and preserve-unknown-fields replace a
// type, except in the schema of an embedded resource.
func (c *structuralCheck) typeIsStated(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if n.XEmbeddedResource {
		c.embeddedIsObject(n)
		return
	}
	if n.Type != "" || n.XIntOrString || preservesUnknown(n) {
		return
	}
	switch level {
	case levelRoot:
		c.require("type", "must not be empty at the root")
	case levelItem:
		c.require("type", "must not be empty for specified array items")
	case levelField:
		c.require("type", "must not be empty for specified object fields")
	}
}

// rootIsObject: the root has the type object.
func (c *structuralCheck) rootIsObject(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if level == levelRoot && n.Type != "" && n.Type != "object" {
		c.invalid("type", n.Type, "must be object at the root")
	}
}

func preservesUnknown(n *apiextensionsv1.JSONSchemaProps) bool {
	return n.XPreserveUnknownFields != nil && *n.XPreserveUnknownFields
}
