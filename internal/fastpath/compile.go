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

type compiler struct {
	checks *leafcheck.Compiler
	done   map[key]*node
	fills  map[*schema.Node]*defaultText
	filler *defaultvalue.Filler
	empty  *node
	keep   *node
	loose  bool // nodes prune and do nothing else
	reads  func(*schema.Node) *fieldaccess.ReadSet
}

type key struct {
	schema   *schema.Node
	preserve bool
	loose    bool
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

// unchecked returns a node for values without a schema.
func unchecked(o others) *node {
	n := &node{accept: leafcheck.All, free: leafcheck.All, others: o, members: newMembers()}
	n.items = n
	return n
}

// compileNode returns the node for values of n. With preserve, a list above preserves
// unknown fields.
func (c *compiler) compileNode(n *schema.Node, preserve bool) *node {
	preserve = preserve || n != nil && n.PreserveUnknownFields()
	switch {
	case n == nil && preserve:
		return c.keep
	case n == nil:
		return c.empty
	}
	k := key{n, preserve, c.loose}
	if done, ok := c.done[k]; ok {
		return done
	}
	out := c.compile(n, preserve)
	c.done[k] = out
	return out
}

func (c *compiler) compile(n *schema.Node, preserve bool) *node {
	if c.loose {
		return c.compileLoose(n, preserve)
	}
	ch := c.checks.Node(n)
	out := &node{accept: ch.Accept, check: ch, fill: c.fill(n)}
	out.free = ch.Free()
	out.nullFill = out.fill != nil && !n.Nullable()
	out.nullDrop = out.fill == nil && !n.Nullable()
	out.whole = ch.ChecksWhole()
	out.embedded = n.EmbeddedResource()
	out.ruled = c.ruled(n)
	out.items = c.compileNode(n.Items(), preserve)
	c.objects(out, n, preserve)
	if out.whole && out.nests() {
		out.members.judged = judged(ch)
	}
	out.list = c.list(out.items, ch)
	return out
}

// ruled reports whether rules may have an effect on a new value of n, apart from those on
// parts of it that are walked.
func (c *compiler) ruled(n *schema.Node) bool {
	if n.EmbeddedResource() && n.Facts().Has(schema.HasRules) {
		return true
	}
	return len(n.Rules()) > 0 && (c.reads == nil || c.reads(n) != nil)
}

// resourceMembers are the members that every resource has. Package pruning does
// not change them in embedded resources; TestBytes compares the two.
var resourceMembers = [...]string{"apiVersion", "kind", "metadata"}

// protect keeps the members that every resource has as they are. It reports
// false if the schema would change them.
func (c *compiler) protect(m *members) bool {
	for _, name := range resourceMembers {
		i := m.find(name)
		if i < 0 {
			m.add(name, opaque(nil))
			continue
		}
		if m.list[i].node.changes(make(map[*node]bool)) {
			return false
		}
		m.list[i].node = opaque(m.list[i].node.check)
	}
	m.sort()
	return true
}

// compileLoose compiles a schema of values that are dropped. Their undeclared
// fields are reported before.
func (c *compiler) compileLoose(n *schema.Node, preserve bool) *node {
	out := &node{accept: leafcheck.All, free: leafcheck.All, members: newMembers()}
	if n.EmbeddedResource() {
		out.decline = droppedResource
	}
	if preserve {
		out.others = keepOthers
	}
	if additional, declared := n.AdditionalProperties(); declared {
		out.others, out.rest = walkOthers, c.compileNode(additional, false)
	}
	for name, p := range n.Properties() {
		out.members.add(name, c.compileNode(p, false))
	}
	out.members.finish(nil)
	out.items = c.compileNode(n.Items(), preserve)
	return out
}

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
		if n.Len() > 0 || n.EmbeddedResource() { // Which of both applies differs from engine to engine.
			out.decline = propertiesAndOthers
		}
	}
	limits := n.Limits()
	out.counted = limits.MinProperties.Set || limits.MaxProperties.Set
	if n.Len() == 0 && !n.EmbeddedResource() && len(limits.Required) == 0 && !out.counted && !(out.whole && out.nests()) {
		out.members = c.empty.members
		return
	}
	m := newMembers()
	m.size = leafcheck.Size{Min: limits.MinProperties, Max: limits.MaxProperties}
	for name, p := range n.Properties() {
		if !utf8.ValidString(name) {
			out.decline = unwritableName
		}
		m.add(name, c.compileNode(p, false))
	}
	if n.EmbeddedResource() && !c.protect(m) {
		out.decline = changingResource
	}
	if !m.finish(limits.Required) {
		out.decline = undeclaredRequired
	}
	out.members = m
}

func (m *members) add(name string, n *node) {
	m.list = append(m.list, member{name: name, node: n, text: quote(name) + ":"})
}

// finish derives the other fields from the list. It reports false if a required
// member is not declared.
func (m *members) finish(required []string) bool {
	list := make([]string, len(m.list))
	m.gather()
	half := (len(m.list) + 63) / 64
	sets := make(bitset, 2*half)
	m.required, m.defaults = sets[:half:half], sets[half:]
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

// gather puts the texts of the members next to each other, and the names into the
// texts: a walk compares names one after another and then writes a text. It puts the
// heads of the names next to each other, too.
func (m *members) gather() {
	var b strings.Builder
	for i := range m.list {
		b.WriteString(m.list[i].text)
	}
	all := b.String()
	m.heads = make([]uint64, len(m.list))
	for i := range m.list {
		p := &m.list[i]
		p.text, all = all[:len(p.text)], all[len(p.text):]
		p.setDirect()
		m.heads[i] = unmatched
		if end := len(p.text) - 2; end > 0 && p.text[1:end] == p.name {
			p.name = p.text[1:end]
			m.heads[i] = headOf(p.name)
		}
		if n := len(p.text); n >= wordSize {
			p.tail = word(p.text, n-wordSize)
		}
	}
}

// setFirst sets first from required and defaults.
func (m *members) setFirst() {
	m.first = 0
	for i := range m.list {
		if m.required.has(i) || m.defaults.has(i) {
			m.first |= 1 << i // nothing for later members
		}
	}
}

// opaque returns a node for values that stay as they are if check admits them.
func opaque(ch *leafcheck.Node) *node {
	n := unchecked(keepOthers)
	n.opaque, n.check = true, ch
	return n
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

// isNamedLikeType reports whether the server could take a member of the root for
// kind or apiVersion, which it finds without regard to case.
func isNamedLikeType(name string) bool {
	return strings.EqualFold(name, "kind") || strings.EqualFold(name, "apiVersion")
}
