package fastpath

import (
	"github.com/crdkit/crdkit/internal/names/nameindex"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

// A node says what to do with values at one location: prune, drop nulls, set defaults,
// validate. Equal schemas share it, apart from inherited preserving.
type node struct {
	accept leafcheck.Mask // kinds that the type admits
	free   leafcheck.Mask // kinds that need no check but accept, see leafcheck.Node.Free
	others others

	declined bool // values of the node are declined
	whole    bool // check.ChecksWhole: complete objects and lists need check.ValidWhole

	nullDrop bool // a member that is null is removed
	nullFill bool // a null is replaced by the default
	counted  bool // the number of members must be one that members.size allows
	ruled    bool // rules may have an effect on a new value, or on a part of it that is not walked

	check   *leafcheck.Node // nil if every value is valid
	members *members        // never nil
	rest    *node           // of undeclared members, if others is walkOthers
	items   *node           // never nil
	list    *listRule       // nil if lists need no check
	fill    *defaultText    // nil if there is no default
}

// others says what to do with undeclared members.
type others uint8

const (
	dropOthers others = iota
	keepOthers
	walkOthers
	refuseOthers // additionalProperties is false: pruning keeps them, validation refuses them
)

// members are the declared members of an object.
type members struct {
	list     []member        // in increasing order of name
	heads    []uint64        // of the names in list, see headOf
	first    uint64          // the members before the 65th that are required or have a default
	required bitset          // required members without a default
	defaults bitset          // members with a default
	size     leafcheck.Size  // of the object
	index    nameindex.Index // of list
}

// sort puts the members that were added at the end of a sorted list into their places.
func (m *members) sort() {
	for i := 1; i < len(m.list); i++ {
		for j := i; j > 0 && m.list[j].name < m.list[j-1].name; j-- {
			m.list[j], m.list[j-1] = m.list[j-1], m.list[j]
		}
	}
}

// at returns the index of a declared member, and reports whether it is declared.
func (m *members) at(name string) (int, bool) {
	i := m.index.Find(name)
	return max(i, 0), i >= 0
}

type member struct {
	name string
	node *node
	text string // `"name":` in canonical form
	tail uint64 // the last eight bytes of text, 0 if it is shorter
	role role
	// direct are the scalars that need no more than check of the node. With checked,
	// strings do.
	direct  leafcheck.Mask
	checked bool
	nested  bool // objects and lists need no more than the walk over them
	ruled   bool // that of the node
}

// setDirect derives direct and nested from the node.
func (p *member) setDirect() {
	n := p.node
	p.direct, p.nested = 0, !n.declined && p.role == noRole
	if p.nested {
		p.direct = n.accept & (n.free&(leafcheck.Int|leafcheck.Bool) | leafcheck.String)
		p.checked, p.ruled = n.free&leafcheck.String == 0, n.ruled
	}
}

// A role marks a member of the root that is not handled by its node alone.
type role uint8

const (
	noRole role = iota
	apiVersionRole
	kindRole
	metadataRole
	droppedRole
)

// defaultText is the filled default of a schema.
type defaultText struct {
	json     string // in canonical form
	declined bool   // it cannot be set
	ruled    bool   // rules may have an effect on it
}

// listRule says what a list must satisfy apart from its elements.
type listRule struct {
	check *leafcheck.List
	keys  []int // indexes of the members of items that are keys of a leafcheck.MapList
	slow  bool  // not all keys are declared, or elements must be unique
}

// A bitset is a set of small numbers.
type bitset []uint64

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
