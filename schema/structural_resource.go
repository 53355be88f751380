package schema

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Rules for resources: the whole object, and embedded resources in it. The
// server defines their apiVersion, kind and metadata, so a schema can say
// little about these.
//
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#rawextension

// embeddedIsObject: an embedded resource is an object.
func (c *structuralCheck) embeddedIsObject(n *apiextensionsv1.JSONSchemaProps) {
	const detail = "must be object if x-kubernetes-embedded-resource is true"
	switch n.Type {
	case "object":
	case "":
		c.require("type", detail)
	default:
		c.invalid("type", n.Type, detail)
	}
}

// embeddedHasNoAdditionalProperties: an embedded resource declares its fields
// one by one, as the root does.
func (c *structuralCheck) embeddedHasNoAdditionalProperties(n *apiextensionsv1.JSONSchemaProps) {
	if n.XEmbeddedResource && n.AdditionalProperties != nil {
		c.forbid("additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
	}
}

// embeddedHasContent: an embedded resource declares fields or preserves unknown
// ones.
func (c *structuralCheck) embeddedHasContent(n *apiextensionsv1.JSONSchemaProps) {
	if n.XEmbeddedResource && !preservesUnknown(n) && len(n.Properties) == 0 {
		c.require("properties", "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields")
	}
}

// typeMetaIsString: kind and apiVersion of a resource are strings.
func (c *structuralCheck) typeMetaIsString(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if !isResource(n, level) {
		return
	}
	c.resourceField(n, "kind", "string", "must be string")
	c.resourceField(n, "apiVersion", "string", "must be string")
}

// metadataIsObject: the metadata of a resource is an object.
func (c *structuralCheck) metadataIsObject(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if isResource(n, level) {
		c.resourceField(n, "metadata", "object", "must be object")
	}
}

func (c *structuralCheck) resourceField(n *apiextensionsv1.JSONSchemaProps, name, typ, detail string) {
	property, ok := n.Properties[name]
	if !ok || property.Type == typ {
		return
	}
	c.at.PushKey("properties", name)
	c.invalid("type", property.Type, detail)
	c.at.Pop()
}

// rootMetadataIsImplied: the schema of the metadata of the object constrains
// only name and generateName, in any form. It may also declare the type object
// and a default, which is checked elsewhere. The metadata of embedded resources
// may be constrained freely.
func (c *structuralCheck) rootMetadataIsImplied(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) {
	if level != levelRoot {
		return
	}
	metadata, ok := n.Properties["metadata"]
	if !ok || onlyNames(metadata.Properties) && metadata.AdditionalProperties == nil && declaresNothing(&metadata) {
		return
	}
	c.forbidMetadata("must not specify anything other than name and generateName, but metadata is implicitly specified")
}

// forbidMetadata adds an error for the property metadata of the current schema.
func (c *structuralCheck) forbidMetadata(detail string) {
	at := c.at.Here().Child("properties").Key("metadata")
	c.errs.AddAt(at, field.Forbidden(at.Path(), detail))
}

// onlyNames reports whether properties has only name and generateName.
func onlyNames(properties map[string]apiextensionsv1.JSONSchemaProps) bool {
	for name := range properties {
		if name != "name" && name != "generateName" {
			return false
		}
	}
	return true
}

// isResource reports whether the values of n are whole Kubernetes objects.
func isResource(n *apiextensionsv1.JSONSchemaProps, level structuralLevel) bool {
	return level == levelRoot || n.XEmbeddedResource
}
