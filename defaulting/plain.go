package defaulting

import (
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// The plain walks are the definition of null dropping and defaulting, written
// over the schema itself. They are the judges of the compiled walks.

type plain struct{ root *schema.Node }

func (p *plain) dropNulls(obj map[string]any, t *pathstack.Trail) {
	plainDrop(obj, p.root, t)
}

func plainDrop(v any, n *schema.Node, t *pathstack.Trail) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			child := childOf(n, name)
			if e == nil && child != nil && !child.Nullable() && !hasDefault(child) {
				t.Mark(schema.Field(name))
				delete(v, name)
				continue
			}
			t.Enter(schema.Field(name))
			plainDrop(e, child, t)
			t.Leave()
		}
	case []any:
		for i, e := range v {
			t.Enter(schema.Index(i))
			plainDrop(e, n.Items(), t)
			t.Leave()
		}
	}
}

func (p *plain) setDefaults(obj map[string]any, t *pathstack.Trail) {
	plainFill(obj, p.root, t)
}

func plainFill(v any, n *schema.Node, t *pathstack.Trail) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if v != nil {
			plainFillObject(v, n, t)
		}
	case []any:
		for i, e := range v {
			plainReplace(e, n.Items(), schema.Index(i), t, func(d any) { v[i] = d })
		}
	}
}

func plainFillObject(v map[string]any, n *schema.Node, t *pathstack.Trail) {
	set := make(map[string]bool)
	for name, child := range n.Properties() {
		d, ok := child.Default()
		if e, found := v[name]; ok && (!found || e == nil && !child.Nullable()) {
			v[name] = d
			set[name] = true
			t.Mark(schema.Field(name))
			plainFill(d, child, nil)
		}
	}
	for name, e := range v {
		switch p := n.Property(name); {
		case set[name]:
		case p != nil:
			t.Enter(schema.Field(name))
			plainFill(e, p, t)
			t.Leave()
		default:
			additional, _ := n.AdditionalProperties()
			plainReplace(e, additional, schema.Field(name), t, func(d any) { v[name] = d })
		}
	}
}

// plainReplace fills the value v at step s, or replaces it if it is a null that
// has to give way to a default.
func plainReplace(v any, n *schema.Node, s schema.Step, t *pathstack.Trail, set func(any)) {
	if v == nil && n != nil && !n.Nullable() && hasDefault(n) {
		d, _ := n.Default()
		plainFill(d, n, nil)
		set(d)
		t.Mark(s)
		return
	}
	t.Enter(s)
	plainFill(v, n, t)
	t.Leave()
}

// childOf returns the schema of a field, nil if there is none.
func childOf(n *schema.Node, name string) *schema.Node {
	if n == nil {
		return nil
	}
	if p := n.Property(name); p != nil {
		return p
	}
	additional, _ := n.AdditionalProperties()
	return additional
}

// itemsOf returns the schema of elements, nil if there is none.
func itemsOf(n *schema.Node) *schema.Node {
	if n == nil {
		return nil
	}
	return n.Items()
}

func hasDefault(n *schema.Node) bool {
	_, ok := n.Default()
	return ok
}
