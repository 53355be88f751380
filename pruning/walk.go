package pruning

import (
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A recorder records the paths that a walk removes. A nil recorder records none.
type recorder = pathstack.Recorder[schema.Path, schema.Step]

// value prunes v, the value at step s.
func (n *node) value(v any, s schema.Step, rec *recorder) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			rec.Enter(s)
			n.object(v, rec)
			rec.Leave()
		}
	case []any:
		if n.items == nil {
			return
		}
		rec.Enter(s)
		for i, e := range v {
			if jsonval.IsContainer(e) {
				n.items.value(e, schema.Index(i), rec)
			}
		}
		rec.Leave()
	}
}

// object prunes a map. To range over a map is the largest cost of pruning. If the
// schema does not have many more fields than the map has entries, object looks up
// each field of the schema instead. If it finds as many fields as the map has
// entries, there are no others.
func (n *node) object(m map[string]any, rec *recorder) {
	probed := n.probeIsFaster(len(m))
	if probed && (n.probe(m, rec) == 0 || n.others == keepOthers) {
		return
	}
	for name, v := range m {
		switch i := n.index.Find(name); {
		case i >= 0 && (probed || n.fields[i].node == nil):
		case i >= 0:
			n.fields[i].node.value(v, schema.Field(name), rec)
		case n.others == dropOthers:
			rec.Record(schema.Field(name))
			delete(m, name)
		case n.others == walkOthers:
			n.rest.value(v, schema.Field(name), rec)
		}
	}
}

// probe looks up the fields of n in m and prunes their values. It returns the
// number of entries of m that it did not find.
func (n *node) probe(m map[string]any, rec *recorder) int {
	left := len(m)
	for i := range n.fields {
		f := &n.fields[i]
		v, ok := m[f.name]
		if !ok {
			continue
		}
		if f.node != nil && jsonval.IsContainer(v) {
			f.node.value(v, schema.Field(f.name), rec)
		}
		if left--; left == 0 {
			break
		}
	}
	return left
}
