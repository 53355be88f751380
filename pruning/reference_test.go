package pruning

import (
	"slices"

	"github.com/crdkit/crdkit/schema"
)

// A reference prunes as the server does: it looks up every field of the object in
// the schema. Tests compare the compiled walk with it.
type reference struct {
	node     *schema.Node
	fragment bool
}

func (p *reference) PruneAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	referenceObject(obj, p.node, p.node.PreserveUnknownFields(), !p.fragment, &rec)
	removed := rec.Paths()
	schema.SortPaths(removed)
	if p.fragment && p.node != nil {
		removed = slices.DeleteFunc(removed, isRootMeta)
	}
	return removed
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
