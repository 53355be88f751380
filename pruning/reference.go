package pruning

import (
	"github.com/crdkit/crdkit/schema"
)

// The reference implementation walks over the schema itself. Tests compare the
// compiled walks of walk.go and report.go with it.

type reference struct {
	node     *schema.Node
	resource bool // keep apiVersion, kind and metadata of the object
}

func (p *reference) prune(obj map[string]any, rec *recorder) {
	preserve := p.node.PreserveUnknownFields()
	referenceObject(obj, p.node, preserve, p.resource, rec)
}

// referenceValue prunes v by n. preserve reports whether a list above preserves
// unknown fields. A nil n declares nothing.
func referenceValue(v any, n *schema.Node, preserve bool, rec *recorder) {
	preserve = preserve || n.PreserveUnknownFields()
	switch v := v.(type) {
	case map[string]any:
		referenceObject(v, n, preserve, false, rec)
	case []any:
		for i, e := range v {
			rec.Enter(schema.Index(i))
			referenceValue(e, n.Items(), preserve, rec)
			rec.Leave()
		}
	}
}

func referenceObject(obj map[string]any, n *schema.Node, preserve, resource bool, rec *recorder) {
	resource = resource || n.EmbeddedResource()
	for name, v := range obj {
		if resource && isMeta(name) {
			continue
		}
		child, declared := childOf(n, name)
		switch {
		case declared:
			rec.Enter(schema.Field(name))
			referenceValue(v, child, false, rec)
			rec.Leave()
		case !preserve:
			rec.Record(schema.Field(name))
			delete(obj, name)
		}
	}
}

// childOf returns the schema of a field and reports whether n declares the
// field, by name or by additionalProperties. The schema is nil if
// additionalProperties is a boolean.
func childOf(n *schema.Node, name string) (*schema.Node, bool) {
	if p := n.Property(name); p != nil {
		return p, true
	}
	return n.AdditionalProperties()
}
