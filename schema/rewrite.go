package schema

import (
	"slices"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// RewriteDefaults returns the tree below n with every default replaced by the
// result of f; nil removes the default. f gets the path of the default, which
// it must not keep, and a copy of the default. In the path, items of an array
// have the index 0 and additional properties the key "*". If f changes nothing,
// the result is n itself. n does not change. A nil n gives nil.
func (n *Node) RewriteDefaults(f func(path Path, def any) any) *Node {
	return n.rewrite(nil, f)
}

func (n *Node) rewrite(path Path, f func(Path, any) any) *Node {
	if n == nil || !n.facts.Has(HasDefaults) {
		return n
	}
	def, changed := n.def, false
	if def != nil {
		def = f(path, jsonval.Clone(def))
		changed = !jsonval.Equal(def, n.def)
	}
	additional := n.additional.rewrite(append(path, Key("*")), f)
	items := n.items.rewrite(append(path, Index(0)), f)
	changed = changed || additional != n.additional || items != n.items
	props := n.props
	for i, p := range n.props {
		q := p.rewrite(append(path, Field(n.names[i])), f)
		if q == p {
			continue
		}
		if &props[0] == &n.props[0] {
			props = slices.Clone(n.props)
		}
		props[i] = q
		changed = true
	}
	if !changed {
		return n
	}
	out := *n
	out.def, out.additional, out.items, out.props = def, additional, items, props
	out.facts = factsOf(&out)
	return &out
}
