package fieldpath

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// ParseField returns the path that text spells below values of n.
func ParseField(text string, n *schema.Node) (schema.Path, error) {
	p := nodeCursor{at: n}
	if err := FollowField(text, &p, DotsAndBrackets); err != nil {
		return nil, err
	}
	return p.path, nil
}

// A nodeCursor is a place in a compiled schema.
type nodeCursor struct {
	at   *schema.Node // nil where anything goes
	path schema.Path
}

func (p *nodeCursor) Enter(name string) bool {
	if p.at == nil {
		return false
	}
	if p.at.Len() > 0 {
		p.path = append(p.path, schema.Field(name))
		p.at = p.at.Property(name)
		return p.at != nil
	}
	values, declared := p.at.AdditionalProperties()
	if !declared {
		return false
	}
	p.path = append(p.path, schema.Key(name))
	p.at = values
	return true
}

// PropsCursor is a place in a schema as it is written.
type PropsCursor struct {
	// At is the schema of the place, nil where nothing is described.
	At *apiextensionsv1.JSONSchemaProps
	// Path leads to the place from where the path began.
	Path *field.Path
}

// Enter implements [FieldCursor].
func (p *PropsCursor) Enter(name string) bool {
	switch {
	case p.At == nil:
		return false
	case len(p.At.Properties) > 0:
		p.Path = p.Path.Child(name)
		next, ok := p.At.Properties[name]
		p.At = &next
		return ok
	case p.At.AdditionalProperties != nil:
		p.Path = p.Path.Key(name)
		p.At = p.At.AdditionalProperties.Schema
		return true
	}
	return false
}
