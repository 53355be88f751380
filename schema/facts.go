package schema

// Facts say what a schema declares, itself or anywhere below it on the spine.
// Compile computes them once, so that engines can skip subtrees.
type Facts uint16

const (
	// HasDefaults: a default is declared here or below.
	HasDefaults Facts = 1 << iota
	// HasListTypes: an x-kubernetes-list-type of set or map is declared here or below.
	HasListTypes
	// HasEmbedded: an embedded resource is declared here or below.
	HasEmbedded
	// HasRules: x-kubernetes-validations are declared here or below.
	HasRules
	// HasJunctors: allOf, anyOf, oneOf or not is declared here or below.
	HasJunctors
	// HasPreserved: unknown fields are preserved here or below.
	HasPreserved
	// HasNullable: null is admitted here or below.
	HasNullable
	// CanDropNulls: null dropping can change a value here or below.
	CanDropNulls
	// CanPrune: pruning can change a value here or below.
	CanPrune
)

// Has reports whether f has all of want.
func (f Facts) Has(want Facts) bool { return f&want == want }

// inherited are the facts that a schema has if a schema below it has them.
const inherited = HasDefaults | HasListTypes | HasEmbedded | HasRules | HasJunctors |
	HasPreserved | HasNullable | CanDropNulls

func factsOf(n *Node) Facts {
	f := ownFacts(n)
	for _, p := range n.props {
		f |= p.facts & inherited
		if !p.Nullable() && p.def == nil {
			f |= CanDropNulls
		}
	}
	if n.items != nil {
		f |= n.items.facts & inherited
	}
	if a := n.additional; a != nil {
		f |= a.facts & inherited
		if !a.Nullable() && a.def == nil {
			f |= CanDropNulls
		}
	}
	if canPrune(n, n.PreserveUnknownFields()) {
		f |= CanPrune
	}
	return f
}

func ownFacts(n *Node) Facts {
	var f Facts
	if n.def != nil {
		f |= HasDefaults
	}
	if t, _ := n.ListType(); t == "set" || t == "map" {
		f |= HasListTypes
	}
	if n.EmbeddedResource() {
		f |= HasEmbedded
	}
	if len(n.rules) > 0 {
		f |= HasRules
	}
	if n.junctors != nil {
		f |= HasJunctors
	}
	if n.PreserveUnknownFields() {
		f |= HasPreserved
	}
	if n.Nullable() {
		f |= HasNullable
	}
	return f
}

// canPrune reports whether pruning can change a value of n. Items inherit preservation. A
// boolean additionalProperties empties maps below it.
func canPrune(n *Node, preserving bool) bool {
	if !preserving || n.flags&flagAdditional != 0 && (n.additional == nil || n.additional.facts.Has(CanPrune)) {
		return true
	}
	for _, p := range n.props {
		if p.facts.Has(CanPrune) {
			return true
		}
	}
	return n.items != nil && canPrune(n.items, true)
}
