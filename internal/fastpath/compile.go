package fastpath

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/defaultvalue"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
	"github.com/crdkit/crdkit/internal/nameindex"
	"github.com/crdkit/crdkit/schema"
)

type compiler struct {
	checks *leafcheck.Compiler
	done   map[key]*node
	fills  map[*schema.Node]*defaultText
	filler *defaultvalue.Filler
	empty  *node
	keep   *node
	// loose: what is compiled now says what to prune and nothing else.
	loose bool
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

// unchecked returns a node for values that no schema describes.
func unchecked(o others) *node {
	n := &node{accept: leafcheck.All, free: leafcheck.All, others: o, members: &members{}}
	n.items = n
	return n
}

// node returns the node for values of n at a place that inherits preserve.
func (c *compiler) node(n *schema.Node, preserve bool) *node {
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
	out.free = freeKinds(ch)
	out.nullFill = out.fill != nil && !n.Nullable()
	out.nullDrop = out.fill == nil && !n.Nullable()
	out.whole = ch.Enum != nil || ch.Nested != nil
	out.embedded = n.EmbeddedResource()
	out.items = c.node(n.Items(), preserve)
	c.objects(out, n, preserve)
	out.list = c.list(out.items, ch)
	out.plainText = out.decline == accepted && ch.Accept&leafcheck.String != 0 && ch.Enum == nil && ch.Nested == nil
	return out
}

// resourceMembers are what every resource has. Pruning leaves them alone.
var resourceMembers = [...]string{"apiVersion", "kind", "metadata"}

// protect makes the members that every resource has stay as they are. It
// reports false if the schema would have them changed.
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
	slices.SortFunc(m.list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return true
}

// compileLoose compiles what is going to be thrown away, once it is known
// which fields of it are not declared.
func (c *compiler) compileLoose(n *schema.Node, preserve bool) *node {
	out := &node{accept: leafcheck.All, free: leafcheck.All, members: &members{}}
	if n.EmbeddedResource() {
		out.decline = droppedResource
	}
	if preserve {
		out.others = keepOthers
	}
	if additional, declared := n.AdditionalProperties(); declared {
		out.others, out.rest = walkOthers, c.node(additional, false)
	}
	for name, p := range n.Properties() {
		out.members.add(name, c.node(p, false))
	}
	out.members.finish(nil)
	out.items = c.node(n.Items(), preserve)
	return out
}

func (c *compiler) objects(out *node, n *schema.Node, preserve bool) {
	if preserve {
		out.others = keepOthers
	}
	additional, declared := n.AdditionalProperties()
	if declared {
		out.others, out.rest = walkOthers, c.node(additional, false)
		if !n.AllowsAdditionalProperties() {
			out.others = refuseOthers
		}
		if n.Len() > 0 || n.EmbeddedResource() { // Which of both applies differs from engine to engine.
			out.decline = propertiesAndOthers
		}
	}
	limits := n.Limits()
	m := &members{size: leafcheck.Size{Min: limits.MinProperties, Max: limits.MaxProperties}}
	for name, p := range n.Properties() {
		m.add(name, c.node(p, false))
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
	text, ok := jsonscan.AppendString(nil, name)
	if !ok {
		n = &node{decline: unwritableName, members: &members{}}
	}
	m.list = append(m.list, member{name: name, node: n, text: string(text) + ":"})
}

// finish makes what is derived from the list. It reports false if a member is
// required that is not declared.
func (m *members) finish(required []string) bool {
	list := make([]string, len(m.list))
	m.required, m.defaults = newBitset(len(m.list)), newBitset(len(m.list))
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
	m.arrange()
	return true
}

// arrange makes the order, once it is known what is required.
func (m *members) arrange() {
	m.order, m.musts = nil, 0
	for i := range m.list {
		p := &m.list[i]
		if p.must = m.required.has(i) || m.defaults.has(i); p.must {
			m.order = slices.Insert(m.order, m.musts, int32(i))
			m.musts++
		} else {
			m.order = append(m.order, int32(i))
		}
	}
}

// opaque returns a node for values that only have to satisfy a check.
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

// freeKinds returns the kinds of scalars that are subject to nothing but their
// type.
func freeKinds(n *leafcheck.Node) leafcheck.Mask {
	if n.Enum != nil {
		return 0
	}
	free := leafcheck.Bool | leafcheck.Null
	if n.Text == nil {
		free |= leafcheck.String
	}
	switch {
	case n.Number == nil:
		free |= leafcheck.Int | leafcheck.Float
	case anyInt(n.Number):
		free |= leafcheck.Int
	}
	if j := n.Nested; j != nil {
		free &= leafcheck.Null | decided(j, leafcheck.Bool) | decided(j, leafcheck.Int) | decided(j, leafcheck.String)
	}
	return free
}

func anyInt(n *leafcheck.Number) bool {
	return !n.Min.Set && !n.Max.Set && !n.Multiple.Set && n.Format != "int32"
}

// decided returns kind if every value of that kind satisfies j.
func decided(j *leafcheck.Junctors, kind leafcheck.Mask) leafcheck.Mask {
	for _, b := range j.AllOf {
		if !admitsKind(b, kind) {
			return 0
		}
	}
	ok := len(j.AnyOf) == 0
	for _, b := range j.AnyOf {
		ok = ok || admitsKind(b, kind)
	}
	if !ok || len(j.OneOf) > 0 || j.Not != nil {
		return 0
	}
	return kind
}

// admitsKind reports whether a branch admits all values of the kind.
func admitsKind(n *leafcheck.Node, kind leafcheck.Mask) bool {
	return n.Accept&kind == kind && freeKinds(n)&kind == kind
}

// isNamedLikeType reports whether the server, which finds kind and apiVersion
// without regard to case, could take a member of the root for one of them.
func isNamedLikeType(name string) bool {
	return strings.EqualFold(name, "kind") || strings.EqualFold(name, "apiVersion")
}
