package schema

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Rules about types. Whether a type is one that exists is not their business:
// "type: foo" is structural.

// arrayHasItems: an array says what its elements are.
func (c *structuralCheck) arrayHasItems(n *apiextensionsv1.JSONSchemaProps) {
	if n.Type == "array" && itemsOf(n) == nil {
		c.require("items", "must be specified")
	}
}

// rootHasNoAdditionalProperties: the fields of the whole object are declared
// one by one. Even additionalProperties: false is too much.
func (c *structuralCheck) rootHasNoAdditionalProperties(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if level == levelRoot && n.AdditionalProperties != nil {
		c.forbid("additionalProperties", "must not be used at the root")
	}
}

// intOrStringStandsAlone: x-kubernetes-int-or-string takes the place of a type
// and goes with no other extension that does.
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
// object. The extensions int-or-string and preserve-unknown-fields make up for
// a missing type unless the schema is that of an embedded resource.
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

// rootIsObject: the whole object is an object.
func (c *structuralCheck) rootIsObject(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if level == levelRoot && n.Type != "" && n.Type != "object" {
		c.invalid("type", n.Type, "must be object at the root")
	}
}

func preservesUnknown(n *apiextensionsv1.JSONSchemaProps) bool {
	return n.XPreserveUnknownFields != nil && *n.XPreserveUnknownFields
}
