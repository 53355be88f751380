package pruning

import (
	"github.com/crdkit/crdkit/internal/pathstack"
	"github.com/crdkit/crdkit/schema"
)

// A recorder records the paths that a walk removes.
type recorder = pathstack.Recorder[schema.Path, schema.Step]

// A reportWalker prunes like the walk of walk.go and records what it removes.
// It needs the names of unknown fields, so it ranges over maps that have some.
type reportWalker struct{ recorder }

// walk prunes v, the value at step s.
func (w *reportWalker) walk(n *node, v any, s schema.Step) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			w.Enter(s)
			w.object(n, v)
			w.Leave()
		}
	case []any:
		if n.items != nil && len(v) > 0 {
			w.Enter(s)
			w.list(n.items, v)
			w.Leave()
		}
	}
}

// list prunes the elements of a list.
func (w *reportWalker) list(items *node, list []any) {
	for i, v := range list {
		if isContainer(v) {
			w.walk(items, v, schema.Index(i))
		}
	}
}

func (w *reportWalker) object(n *node, m map[string]any) {
	switch {
	case len(n.fields) == 0:
		w.walkWithoutFields(n, m)
	case n.probeIsFaster(len(m)):
		if unknown := w.probe(n, m); unknown > 0 && n.others != keepOthers {
			w.sweep(n, m, unknown)
		}
	default:
		w.scan(n, m)
	}
}

// walkWithoutFields prunes m by a node without fields.
func (w *reportWalker) walkWithoutFields(n *node, m map[string]any) {
	switch n.others {
	case walkOthers:
		for name, v := range m {
			if isContainer(v) {
				w.walk(n.rest, v, schema.Field(name))
			}
		}
	case dropOthers:
		for name := range m {
			w.Record(schema.Field(name))
		}
		clear(m)
	}
}

// probe looks up the fields of n in m and prunes their values. It returns the
// number of entries of m that are not fields of n. The number is too large if
// other fields stay, as n.fields is then not complete.
func (w *reportWalker) probe(n *node, m map[string]any) int {
	unknown := len(m)
	for i := range n.fields {
		f := &n.fields[i]
		v, ok := m[f.name]
		if !ok {
			continue
		}
		if f.node != nil && isContainer(v) {
			w.walk(f.node, v, schema.Field(f.name))
		}
		if unknown--; unknown == 0 {
			break
		}
	}
	return unknown
}

// sweep prunes the entries of m that are not fields of n. There are unknown many.
func (w *reportWalker) sweep(n *node, m map[string]any, unknown int) {
	for name, v := range m {
		if n.index.Find(name) >= 0 {
			continue
		}
		w.other(n, m, name, v)
		if unknown--; unknown == 0 {
			return
		}
	}
}

// scan ranges over m and prunes every entry.
func (w *reportWalker) scan(n *node, m map[string]any) {
	for name, v := range m {
		f := n.field(name)
		switch {
		case f == nil:
			w.other(n, m, name, v)
		case f.node != nil && isContainer(v):
			w.walk(f.node, v, schema.Field(name))
		}
	}
}

// other prunes an entry that is not a field of n.
func (w *reportWalker) other(n *node, m map[string]any, name string, v any) {
	switch n.others {
	case dropOthers:
		w.Record(schema.Field(name))
		delete(m, name)
	case walkOthers:
		w.walk(n.rest, v, schema.Field(name))
	}
}
