package fastpath

import (
	"slices"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/leafcheck"
)

// The scale subresource names a field of the object as its number of replicas,
// which has to be a number that fits 32 bits, or absent. On the way there the
// nodes of a plan are its own, so that the walk sees to it in passing.

// ChecksReplicas reports whether an object that the plan has made has a proper
// number of replicas where [Config].Replicas says, or none. If not, nothing is
// known about it.
func (p *Plan) ChecksReplicas() bool { return p.replicas }

// counting returns a copy of n that takes nothing but a number of replicas for
// what the steps lead to. It reports false if there is none.
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
	if n.members.list[i].role != ordinary {
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

// isCount reports whether what the steps lead to in v is a number of replicas,
// or absent.
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
