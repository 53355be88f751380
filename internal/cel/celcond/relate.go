package celcond

import (
	"slices"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// relate translates the comparison of two fields.
func (x *translation) relate(p, q path, orders search.Mask, sc scope) (verdict, bool) {
	a, okA := comparable(p.node)
	b, okB := comparable(q.node)
	if p.nullable() || q.nullable() {
		return verdict{}, false
	}
	if !okA || !okB {
		return x.relateWhole(p, q, orders, sc)
	}
	if a != b {
		return verdict{}, false
	}
	all := search.Less | search.Same | search.Greater
	v := verdict{search.Relation(p.names, q.names, orders), search.Relation(p.names, q.names, all&^orders)}
	if slices.Equal(p.names, q.names) {
		v = verdict{x.at(p, search.Types(a)), search.False}
		if orders&search.Same == 0 {
			v = v.not()
		}
	}
	return v, true
}

// relateWhole translates the comparison of the old and the new value of a field that is a
// boolean, a list or an object.
func (x *translation) relateWhole(p, q path, orders search.Mask, sc scope) (verdict, bool) {
	equality := orders == search.Same || orders == search.Less|search.Greater
	whole := p.node == x.root || p.node == x.metadata // rules see only a part of metadata
	if sc.update == nil || whole || p.node != q.node || !equality || !equalAsJSON(p.node) || slices.Equal(p.names, q.names) {
		return verdict{}, false
	}
	if x.changed != nil && (x.changed(sc.below(p)) || x.changed(sc.below(q))) {
		return verdict{}, false
	}
	differ := search.Relation(p.names, q.names, search.Less|search.Greater|search.NoOrder)
	v := verdict{
		search.Relation(p.names, q.names, search.Same),
		search.And(x.at(p, search.True), x.at(q, search.True), differ),
	}
	if orders != search.Same {
		v = v.not()
	}
	return v, true
}

// equalAsJSON reports whether two values of a schema are equal in CEL if and only if they are
// equal as JSON values. Lists in any order, values with a format of their own, null and
// unknown fields are not.
func equalAsJSON(n *schema.Node) bool {
	_, scalar := comparable(n)
	switch {
	case n == nil || n.Nullable() || n.IntOrString() || n.PreserveUnknownFields() || n.EmbeddedResource():
		return false
	case scalar || n.Kind() == schema.KindBoolean:
		return true
	case n.Kind() == schema.KindArray:
		listType, _ := n.ListType()
		return (listType == "" || listType == "atomic") && equalAsJSON(n.Items())
	case n.Kind() != schema.KindObject:
		return false
	}
	if additional, _ := n.AdditionalProperties(); n.AllowsAdditionalProperties() && !equalAsJSON(additional) {
		return false
	}
	for _, child := range n.Properties() {
		if !equalAsJSON(child) {
			return false
		}
	}
	return true
}
