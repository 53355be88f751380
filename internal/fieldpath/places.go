package fieldpath

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/schema"
)

// Parse returns the path that text spells below values of n.
func Parse(text string, n *schema.Node) (schema.Path, error) {
	p := node{at: n}
	if err := Follow(text, &p, DotsAndBrackets); err != nil {
		return nil, err
	}
	return p.path, nil
}

// A node is a place in a compiled schema.
type node struct {
	at   *schema.Node // nil where anything goes
	path schema.Path
}

func (p *node) Enter(name string) bool {
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

// Props is a place in a schema as it is written.
type Props struct {
	// At is the schema of the place, nil where nothing is described.
	At *apiextensionsv1.JSONSchemaProps
	// Path leads to the place from where the path began.
	Path *field.Path
}

// Enter implements [Place].
func (p *Props) Enter(name string) bool {
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
