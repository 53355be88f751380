package crdpath

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// ParseField returns the path that text denotes in values of the schema n. The
// path belongs to the caller.
func ParseField(text string, n *schema.Node) (schema.Path, error) {
	c := nodeCursor{at: n}
	if err := FollowField(text, &c, DotsAndBrackets); err != nil {
		return nil, err
	}
	return c.path, nil
}

// A nodeCursor is a location in a compiled schema.
type nodeCursor struct {
	at   *schema.Node // nil if the schema does not describe the values
	path schema.Path
}

func (c *nodeCursor) Enter(name string) bool {
	if c.at == nil {
		return false
	}
	if c.at.Len() > 0 {
		c.path = append(c.path, schema.Field(name))
		c.at = c.at.Property(name)
		return c.at != nil
	}
	values, declared := c.at.AdditionalProperties()
	if !declared {
		return false
	}
	c.path = append(c.path, schema.Key(name))
	c.at = values
	return true
}

// PropsCursor is a [FieldCursor] in a schema as a definition has it.
type PropsCursor struct {
	// At is the schema at the location, nil if the definition does not describe it.
	At *apiextensionsv1.JSONSchemaProps
	// Path leads from the start to the location, nil at the start.
	Path *field.Path
}

// Enter implements [FieldCursor].
func (c *PropsCursor) Enter(name string) bool {
	switch {
	case c.At == nil:
		return false
	case len(c.At.Properties) > 0:
		c.Path = c.Path.Child(name)
		next, ok := c.At.Properties[name]
		c.At = &next
		return ok
	case c.At.AdditionalProperties != nil:
		c.Path = c.Path.Key(name)
		c.At = c.At.AdditionalProperties.Schema
		return true
	}
	return false
}
