package fastpath

import (
	"github.com/crdkit/crdkit/internal/defaultvalue"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/nameindex"
)

// A node says what to do with the values of one place: what pruning, null
// dropping, defaulting and validation together come to. Equal schemas share
// theirs, except that one schema has two if preserving unknown fields is
// inherited in one place and not in another.
type node struct {
	accept leafcheck.Mask // kinds that the type admits
	free   leafcheck.Mask // kinds that are subject to nothing but accept
	others others

	decline decline // why values of the place are declined, accepted if they are not
	// whole: an object or list has to be checked as a whole once it is
	// finished, by check.
	whole bool
	// nullDrop: null as a member is removed. nullFill: it gives way to the
	// default.
	nullDrop, nullFill bool
	// embedded: objects are resources, whose metadata has a form of its own.
	embedded bool
	// plainText: strings are admitted, and subject to nothing but check.Text.
	plainText bool
	// replicas: an integer has to be a number of replicas.
	replicas bool
	// opaque: values are subject to check and otherwise stay as they are.
	opaque bool

	check   *leafcheck.Node // nil if everything is admitted
	members *members        // never nil
	rest    *node           // of members that are not declared, if others is walkOthers
	items   *node           // never nil
	list    *listRule       // nil if lists are subject to nothing
	fill    *defaultText    // nil if there is no default
}

// others says what happens to members that are not declared.
type others uint8

const (
	dropOthers others = iota
	keepOthers
	walkOthers
	refuseOthers // additionalProperties: false keeps them, validation refuses them
)

// members are the declared members of an object and what is asked of all.
type members struct {
	list     []member        // in increasing order of name
	index    nameindex.Index // of list
	required bitset          // that have no default
	defaults bitset
	size     leafcheck.Size

	// order has the indexes of list in the order in which a map is asked for
	// them: first the musts that are required or have a default, as these are
	// asked for in any case.
	order []int32
	musts int
}

// at returns the index in list of the member of that name, and reports whether
// it is declared.
func (m *members) at(name string) (int, bool) {
	i := m.index.Find(name)
	return max(i, 0), i >= 0
}

type member struct {
	name string
	node *node
	text string // `"name":` as it is written
	role role
	must bool // required, or has a default
}

// A role marks members of the root that a request treats apart.
type role uint8

const (
	ordinary role = iota
	apiVersionRole
	kindRole
	metadataRole
	droppedRole
)

// defaultText is a default that is filled in and written.
type defaultText struct {
	json     string
	value    any
	template defaultvalue.Template // of value
	decline  decline               // why it cannot be set
}

// listRule is what is asked of a list apart from its elements.
type listRule struct {
	check *leafcheck.List
	keys  []int // members of items that are the keys of a leafcheck.MapList
	slow  bool  // the keys are not all declared, or elements have to be unique
}

// A bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
