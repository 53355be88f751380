package fastpath

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/names/nameindex"
	"github.com/crdkit/crdkit/internal/value/defaultvalue"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
	"github.com/crdkit/crdkit/schema"
)

// A node says how to prune, default and validate the values at one location. Equal schemas share a
// node. In lists that preserve unknown fields, equal schemas share another node.
type node struct {
	accept leafcheck.Mask // kinds that the type allows
	valid  leafcheck.Mask // kinds that need no check besides accept, see leafcheck.Node.AlwaysValid
	others others

	declined bool // values of the node are declined
	whole    bool // check.ChecksWhole: complete objects and lists need check.ValidWhole

	nullDrop bool // a member that is null is removed
	nullFill bool // a null is replaced by the default
	counted  bool // members.size limits the number of members
	hasRules bool // rules may read a new value of the node, or a part that is not walked

	check   *leafcheck.Node // nil if every value is valid
	members *members        // never nil
	rest    *node           // of undeclared members, if others is walkOthers
	items   *node           // never nil
	list    *listRule       // nil if lists need no check
	fill    *defaultText    // nil if there is no default
}

// others says how undeclared members are handled.
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
	first    uint64          // set of the first 64 members that are required or have a default
	required bitset          // required members without a default
	defaults bitset          // members with a default
	size     leafcheck.Size  // limits the number of members
	index    nameindex.Index // of list
}

// sort sorts m.list. Only its last members may be out of order.
func (m *members) sort() {
	for i := 1; i < len(m.list); i++ {
		for j := i; j > 0 && m.list[j].name < m.list[j-1].name; j-- {
			m.list[j], m.list[j-1] = m.list[j-1], m.list[j]
		}
	}
}

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
	// direct are the kinds of scalars that directEnd accepts.
	direct   leafcheck.Mask
	checked  bool // strings need check.ValidString
	nested   bool // objects and lists need only the walk over them
	hasRules bool // node.hasRules
}

func (p *member) setDirect() {
	n := p.node
	p.direct, p.nested = 0, !n.declined && p.role == noRole
	if p.nested {
		p.direct = n.accept & (n.valid&(leafcheck.Int|leafcheck.Bool) | leafcheck.String)
		p.checked, p.hasRules = n.valid&leafcheck.String == 0, n.hasRules
	}
}

// A role marks a member of the whole object that is handled in a special way.
type role uint8

const (
	noRole role = iota
	apiVersionRole
	kindRole
	metadataRole
	droppedRole
)

// defaultText is the default of a schema, with nested defaults filled in.
type defaultText struct {
	json     string // in canonical form
	declined bool   // the default cannot be set
	hasRules bool   // rules may read the default
}

// listRule has the checks of a list, without the checks of its elements.
type listRule struct {
	check *leafcheck.List
	keys  []int // indexes of the list map keys in items.members
	slow  bool  // not all keys are declared, or elements must be unique
}

type bitset []uint64

func (b bitset) add(i int) { b[i/64] |= 1 << (i % 64) }

func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

type compiler struct {
	checks *leafcheck.Compiler
	done   map[key]*node
	fills  map[*schema.Node]*defaultText
	filler *defaultvalue.Filler
	empty  *node
	keep   *node
	reads  func(*schema.Node) *fieldaccess.ReadSet
}

type key struct {
	schema   *schema.Node
	preserve bool
}

func newCompiler(minor int) *compiler {
	c := &compiler{
		checks: leafcheck.NewCompiler(leafcheck.Config{Minor: minor}),
		done:   make(map[key]*node),
		fills:  make(map[*schema.Node]*defaultText),
		filler: defaultvalue.NewFiller(maxFilled),
	}
	c.empty = unchecked(dropOthers)
	c.keep = unchecked(keepOthers)
	return c
}

func unchecked(o others) *node {
	n := &node{accept: leafcheck.All, valid: leafcheck.All, others: o, members: &members{}}
	n.items = n
	return n
}

// compileNode returns the node for values of n. preserve is true if a list above preserves unknown
// fields.
func (c *compiler) compileNode(n *schema.Node, preserve bool) *node {
	preserve = preserve || n != nil && n.PreserveUnknownFields()
	switch {
	case n == nil && preserve:
		return c.keep
	case n == nil:
		return c.empty
	}
	k := key{n, preserve}
	if done, ok := c.done[k]; ok {
		return done
	}
	out := c.compile(n, preserve)
	c.done[k] = out
	return out
}

func (c *compiler) compile(n *schema.Node, preserve bool) *node {
	ch := c.checks.Node(n)
	out := &node{accept: ch.Accept, check: ch, fill: c.fill(n)}
	out.valid = ch.AlwaysValid()
	out.nullFill = out.fill != nil && !n.Nullable()
	out.nullDrop = out.fill == nil && !n.Nullable()
	out.whole = ch.ChecksWhole()
	out.hasRules = c.hasRules(n)
	out.items = c.compileNode(n.Items(), preserve)
	c.objects(out, n, preserve)
	out.list = c.list(out.items, ch)
	out.declined = out.declined || n.EmbeddedResource()
	return out
}

func (c *compiler) hasRules(n *schema.Node) bool {
	return len(n.Rules()) > 0 && (c.reads == nil || c.reads(n) != nil)
}

var resourceMembers = [...]string{"apiVersion", "kind", "metadata"}

func (c *compiler) objects(out *node, n *schema.Node, preserve bool) {
	if preserve {
		out.others = keepOthers
	}
	additional, declared := n.AdditionalProperties()
	if declared {
		out.others, out.rest = walkOthers, c.compileNode(additional, false)
		if !n.AllowsAdditionalProperties() {
			out.others = refuseOthers
		}
		if n.Len() > 0 { // engines differ if a schema has properties and additionalProperties
			out.declined = true
		}
	}
	limits := n.Limits()
	out.counted = limits.MinProperties.Set || limits.MaxProperties.Set
	if n.Len() == 0 && len(limits.Required) == 0 && !out.counted {
		out.members = c.empty.members
		return
	}
	m := &members{}
	m.size = leafcheck.Size{Min: limits.MinProperties, Max: limits.MaxProperties}
	for name, p := range n.Properties() {
		out.declined = out.declined || !utf8.ValidString(name)
		m.add(name, c.compileNode(p, false))
	}
	if !m.finish(limits.Required) {
		out.declined = true
	}
	out.members = m
}

func (m *members) add(name string, n *node) {
	m.list = append(m.list, member{name: name, node: n, text: quote(name) + ":"})
}

// finish sets the other fields of m from m.list. It returns false if a required member is not
// declared.
func (m *members) finish(required []string) bool {
	list := make([]string, len(m.list))
	m.gather()
	words := (len(m.list) + 63) / 64
	m.required, m.defaults = make(bitset, words), make(bitset, words)
	for i := range m.list {
		list[i] = m.list[i].name
		if m.list[i].node.fill != nil {
			m.defaults.add(i)
		}
	}
	m.index = nameindex.New(list)
	for _, name := range required {
		i, ok := m.at(name)
		if !ok {
			return false
		}
		if !m.defaults.has(i) {
			m.required.add(i)
		}
	}
	m.setFirst()
	return true
}

func (m *members) gather() {
	m.heads = make([]uint64, len(m.list))
	for i := range m.list {
		p := &m.list[i]
		p.setDirect()
		m.heads[i] = unmatched
		if end := len(p.text) - 2; end > 0 && p.text[1:end] == p.name {
			m.heads[i] = headOf(p.name)
		}
		if n := len(p.text); n >= wordSize {
			p.tail = word(p.text, n-wordSize)
		}
	}
}

func (m *members) setFirst() {
	m.first = 0
	for i := range m.list {
		if m.required.has(i) || m.defaults.has(i) {
			m.first |= 1 << i // a shift by 64 or more adds nothing
		}
	}
}

func (m *members) find(name string) int {
	return slices.IndexFunc(m.list, func(p member) bool { return p.name == name })
}

func (c *compiler) list(items *node, ch *leafcheck.Node) *listRule {
	l := ch.List
	if l == nil {
		return nil
	}
	out := &listRule{check: l, slow: l.Unique}
	if l.Kind != leafcheck.MapList {
		return out
	}
	for _, name := range l.Keys {
		i, ok := items.members.at(name)
		if !ok {
			out.slow = true
			return out
		}
		out.keys = append(out.keys, i)
	}
	out.slow = out.slow || len(l.Keys) == 0
	return out
}

// isNamedLikeType reports whether a name is kind or apiVersion, ignoring case.
func isNamedLikeType(name string) bool {
	return strings.EqualFold(name, "kind") || strings.EqualFold(name, "apiVersion")
}
