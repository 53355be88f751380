package fastpath

import (
	"slices"

	"github.com/crdkit/crdkit/internal/crdpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
)

// The scale subresource names fields of the object: the desired and the observed
// number of replicas, which must be absent or fit 32 bits, and a label selector,
// which must be absent or a string. The reference is the check of package crdpath;
// this file has the fast one. A plan copies the nodes on the path to the desired
// number, so that the walk can check it. [Output.AdmitsScale] checks the others.

// A Scale has the paths to the fields of the scale subresource. A nil path names no
// field.
type Scale struct {
	Replicas       []string // the desired number, see [Plan.ChecksReplicas]
	StatusReplicas []string // the observed number
	Selector       []string
}

// ChecksReplicas reports whether the walk checks the number of replicas at
// [Scale].Replicas.
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
	m.list[i].setDirect()
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

// AdmitsScale reports whether the fields of the scale subresource are absent or
// valid. hasStatus: the object may have a status. It reports false, too, if it cannot
// tell. The reference is crdpath.ScalePath.
func (o Output) AdmitsScale(hasStatus bool) bool {
	p := o.w.plan
	f := &p.cfg.Scale
	return (p.replicas || o.admitsField(f.Replicas, hasStatus, isCountText)) &&
		o.admitsField(f.StatusReplicas, hasStatus, isCountText) && o.admitsField(f.Selector, hasStatus, isText)
}

// admitsField reports whether the object has no value at the path, or a valid one.
func (o Output) admitsField(path []string, hasStatus bool, valid func(string) bool) bool {
	switch {
	case len(path) == 0 || path[0] == "status" && !hasStatus:
		return true
	case path[0] == "metadata":
		return false // the text has that of the input
	}
	value, ok := jsonscan.Lookup(o.View(), path...)
	return ok && (value == "" || valid(value))
}

// isCountText is isCount for the text of a value.
func isCountText(value string) bool {
	end, n := jsonscan.Number(value, 0)
	return end == len(value) && !n.IsFloat && crdpath.ValidReplicas(n.Int)
}

func isText(value string) bool { return value[0] == '"' }
