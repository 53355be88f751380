package pruning

import (
	"github.com/crdkit/crdkit/internal/trail"
	"github.com/crdkit/crdkit/schema"
)

// The compiled walk. To go through a Go map is what costs most, so it is
// avoided: where the schema has not many more fields than the object, each is
// looked up in the object, and if that finds as many fields as the object has
// there can be no others. Schemas of scalars compile to one node that only
// wants to know whether the value is, against the schema, a map or a list.

// isContainer reports whether v is a map or a list. Most values are not, and
// to ask first saves a call.
func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// value prunes a value that the caller found at step s.
func (n *node) value(v any, s schema.Step, t *trail.Trail) {
	switch v := v.(type) {
	case map[string]any:
		t.Enter(s)
		n.object(v, t)
		t.Leave()
	case []any:
		t.Enter(s)
		n.list(v, t)
		t.Leave()
	}
}

func (n *node) list(list []any, t *trail.Trail) {
	if n.items == nil {
		return
	}
	for i, v := range list {
		if isContainer(v) {
			n.items.value(v, schema.Index(i), t)
		}
	}
}

func (n *node) object(m map[string]any, t *trail.Trail) {
	switch {
	case len(m) == 0:
	case len(n.fields) == 0:
		n.nameless(m, t)
	case n.dense(len(m)):
		if unknown := n.probe(m, t); unknown > 0 && n.others != keepOthers {
			n.sweep(m, unknown, t)
		}
	default:
		n.scan(m, t)
	}
}

// nameless prunes a map by a schema that knows no field by name.
func (n *node) nameless(m map[string]any, t *trail.Trail) {
	switch n.others {
	case keepOthers:
	case walkOthers:
		for name, v := range m {
			if isContainer(v) {
				n.rest.value(v, schema.Field(name), t)
			}
		}
	case dropOthers:
		if t != nil {
			for name := range m {
				t.Mark(schema.Field(name))
			}
		}
		clear(m)
	}
}

// probe looks up the known fields in m and prunes their values. It returns the
// number of entries of m that it did not come across, which is exact unless
// fields of other names stay anyway.
func (n *node) probe(m map[string]any, t *trail.Trail) int {
	unknown := len(m)
	for i := range n.fields {
		f := &n.fields[i]
		v, ok := m[f.name]
		if !ok {
			continue
		}
		if f.node != nil && isContainer(v) {
			f.node.value(v, schema.Field(f.name), t)
		}
		if unknown--; unknown == 0 {
			break
		}
	}
	return unknown
}

// sweep deals with the given number of fields of m that are not known by name.
func (n *node) sweep(m map[string]any, unknown int, t *trail.Trail) {
	for name, v := range m {
		if _, known := n.byName[name]; known {
			continue
		}
		n.other(m, name, v, t)
		if unknown--; unknown == 0 {
			return
		}
	}
}

// scan goes through m and prunes every value.
func (n *node) scan(m map[string]any, t *trail.Trail) {
	for name, v := range m {
		child, known := n.byName[name]
		switch {
		case !known:
			n.other(m, name, v, t)
		case child != nil && isContainer(v):
			child.value(v, schema.Field(name), t)
		}
	}
}

func (n *node) other(m map[string]any, name string, v any, t *trail.Trail) {
	switch n.others {
	case dropOthers:
		t.Mark(schema.Field(name))
		delete(m, name)
	case walkOthers:
		n.rest.value(v, schema.Field(name), t)
	}
}
