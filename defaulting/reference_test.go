package defaulting

import (
	"github.com/crdkit/crdkit/schema"
)

// A reference drops nulls and sets defaults as the server does: it walks over the
// schema itself. Tests compare the compiled walks with it.
type reference struct{ root *schema.Node }

func (p *reference) DropNullsAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	referenceDrop(obj, p.root, &rec)
	schema.SortPaths(rec.Paths())
	return rec.Paths()
}

func referenceDrop(v any, n *schema.Node, rec *recorder) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			child := childOf(n, name)
			if e == nil && child != nil && !child.Nullable() && !hasDefault(child) {
				rec.Record(schema.Field(name))
				delete(v, name)
				continue
			}
			rec.Enter(schema.Field(name))
			referenceDrop(e, child, rec)
			rec.Leave()
		}
	case []any:
		for i, e := range v {
			rec.Enter(schema.Index(i))
			referenceDrop(e, n.Items(), rec)
			rec.Leave()
		}
	}
}

func (p *reference) DefaultAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	referenceFill(obj, p.root, &rec)
	schema.SortPaths(rec.Paths())
	return rec.Paths()
}

func referenceFill(v any, n *schema.Node, rec *recorder) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if v != nil {
			referenceFillObject(v, n, rec)
		}
	case []any:
		for i, e := range v {
			referenceReplace(e, n.Items(), schema.Index(i), rec, func(d any) { v[i] = d })
		}
	}
}

func referenceFillObject(v map[string]any, n *schema.Node, rec *recorder) {
	set := make(map[string]bool)
	for name, child := range n.Properties() {
		d, ok := child.Default()
		if e, found := v[name]; ok && (!found || e == nil && !child.Nullable()) {
			v[name] = d
			set[name] = true
			rec.Record(schema.Field(name))
			referenceFill(d, child, nil)
		}
	}
	for name, e := range v {
		switch p := n.Property(name); {
		case set[name]:
		case p != nil:
			rec.Enter(schema.Field(name))
			referenceFill(e, p, rec)
			rec.Leave()
		default:
			additional, _ := n.AdditionalProperties()
			referenceReplace(e, additional, schema.Field(name), rec, func(d any) { v[name] = d })
		}
	}
}

// referenceReplace fills v, the value at step s. If v is a null that a default
// replaces, it calls set with the default instead.
func referenceReplace(v any, n *schema.Node, s schema.Step, rec *recorder, set func(any)) {
	if v == nil && n != nil && !n.Nullable() && hasDefault(n) {
		d, _ := n.Default()
		referenceFill(d, n, nil)
		set(d)
		rec.Record(s)
		return
	}
	rec.Enter(s)
	referenceFill(v, n, rec)
	rec.Leave()
}

// childOf returns the schema of a map entry, nil if there is none.
func childOf(n *schema.Node, name string) *schema.Node {
	if p := n.Property(name); p != nil {
		return p
	}
	additional, _ := n.AdditionalProperties()
	return additional
}
