package fastpath

import (
	"slices"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/leafcheck"
)

// The scale subresource names a field of the object as its number of replicas. The
// field must be absent or a number that fits 32 bits. A plan copies the nodes on the
// path to the field, so that the walk can check it.

// ChecksReplicas reports whether the walk checks the number of replicas at
// [Config].Replicas.
func (p *Plan) ChecksReplicas() bool { return p.replicas }

// counting returns a copy of n that admits only a number of replicas at the end of
// the steps. It reports false if it cannot.
func (n *node) counting(steps []string) (*node, bool) {
	if n.opaque || n.check == nil {
		return n, false
	}
	out := *n
	out.onlyText = false
	if f := n.fill; f != nil && !isCount(f.value, steps) {
		out.fill = &defaultText{decline: wrongReplicas}
	}
	if len(steps) == 0 {
		out.accept, out.free, out.replicas = n.accept&leafcheck.Int, 0, true
		return &out, true
	}
	out.accept = n.accept & leafcheck.Object
	i, declared := n.members.at(steps[0])
	if !declared {
		return &out, n.others == dropOthers
	}
	if n.members.list[i].role != noRole {
		return n, false
	}
	child, ok := n.members.list[i].node.counting(steps[1:])
	if !ok {
		return n, false
	}
	m := *n.members
	m.list = slices.Clone(m.list)
	m.list[i].node = child
	out.members = &m
	return &out, true
}

// isCount reports whether the value at the end of the steps in v is a number of
// replicas, or absent.
func isCount(v any, steps []string) bool {
	for _, name := range steps {
		m, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if v, ok = m[name]; !ok {
			return true
		}
	}
	count, ok := v.(int64)
	return ok && crdpath.ValidReplicas(count)
}
