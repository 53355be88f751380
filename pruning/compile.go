package pruning

import (
	"slices"

	"github.com/crdkit/crdkit/internal/nameindex"
	"github.com/crdkit/crdkit/schema"
)

// A compileNode says how to prune the values of one place. Scalars are never
// changed, so that it only concerns maps and lists. A nil *node leaves
// everything alone.
//
// Whether unknown fields are preserved can be inherited, so that one schema
// may have two nodes. Equal schemas share theirs.
type node struct {
	// fields are those known by name, likely ones first: each of them if fields
	// of other names do not simply stay, or else those only that are not to be
	// left alone.
	fields []field
	index  nameindex.Index // of fields

	others others
	rest   *node // of fields that are not in fields if others is walkOthers
	items  *node
}

type field struct {
	name string
	node *node
}

// others says what happens to fields that are not in fields.
type others uint8

const (
	dropOthers others = iota
	keepOthers
	walkOthers
)

// probeIsFaster reports whether it takes less time to look all known fields up in a
// map of that many entries than to go through the map and look its entries up.
// BenchmarkProbeAndScan measures both. Starting to go through a map costs as much as
// a handful of lookups, and maps of more than eight entries are of another,
// slower kind.
func (n *node) probeIsFaster(entries int) bool {
	if entries > smallMap {
		return len(n.fields) <= 2*entries
	}
	return len(n.fields) <= 4+entries
}

// smallMap is how many entries a map has at most before it is of another kind.
const smallMap = 8

// field returns what is known of a field, nil if it is not known by name.
func (n *node) field(name string) *field {
	if i := n.index.Find(name); i >= 0 {
		return &n.fields[i]
	}
	return nil
}

// compile returns the node for whole objects of schema n.
func compile(n *schema.Node, resource bool) *node {
	c := compiler{done: make(map[key]*node), empty: &node{}}
	c.empty.items = c.empty
	if n == nil {
		if resource {
			return c.compileObject(nil, false, true)
		}
		return c.empty
	}
	if resource && !n.EmbeddedResource() {
		return c.compileObject(n, n.PreserveUnknownFields(), true)
	}
	return c.compileNode(n, false)
}

type compiler struct {
	done  map[key]*node
	empty *node // empties maps, at any depth of lists
}

type key struct {
	schema   *schema.Node
	preserve bool
}

// compileNode returns the node for values of n at a place that inherits preserve.
func (c *compiler) compileNode(n *schema.Node, preserve bool) *node {
	preserve = preserve || n != nil && n.PreserveUnknownFields()
	switch {
	case n == nil && preserve:
		return nil
	case n == nil:
		return c.empty
	}
	k := key{n, preserve}
	done, ok := c.done[k]
	if !ok {
		done = c.simplify(c.compileObject(n, preserve, n.EmbeddedResource()))
		c.done[k] = done
	}
	return done
}

// compileObject compiles a schema that may be nil.
func (c *compiler) compileObject(n *schema.Node, preserve, resource bool) *node {
	out := &node{}
	if preserve {
		out.others = keepOthers
	}
	if n != nil {
		c.compileFields(out, n)
		out.items = c.compileNode(n.Items(), preserve)
	}
	if resource {
		for _, name := range [...]string{"apiVersion", "kind", "metadata"} {
			out.protect(name)
		}
	}
	if out.others == keepOthers {
		// Fields of any name are left alone.
		out.fields = slices.DeleteFunc(out.fields, func(f field) bool { return f.node == nil })
	}
	out.finish()
	return out
}

// finish makes what is derived from the fields.
func (n *node) finish() {
	list := make([]string, len(n.fields))
	for i, f := range n.fields {
		list[i] = f.name
	}
	n.index = nameindex.New(list)
}

func (c *compiler) compileFields(out *node, n *schema.Node) {
	for name, p := range n.Properties() {
		out.fields = append(out.fields, field{name: name, node: c.compileNode(p, false)})
	}
	out.sortByLikelihood(n)
	if additional, ok := n.AdditionalProperties(); ok {
		out.rest = c.compileNode(additional, false)
		out.others = walkOthers
		if out.rest == nil {
			out.others = keepOthers
		}
	}
}

// protect makes name a known field that is left alone.
func (n *node) protect(name string) {
	n.fields = slices.DeleteFunc(n.fields, func(f field) bool { return f.name == name })
	n.fields = slices.Insert(n.fields, 0, field{name: name})
}

// sortByLikelihood moves required fields to the front, and fields with defaults
// after them. The sooner all entries of a map are found the better.
func (n *node) sortByLikelihood(s *schema.Node) {
	rank := make(map[string]int)
	for name, p := range s.Properties() {
		rank[name] = 2
		if p.Facts().Has(schema.HasDefaults) {
			rank[name] = 1
		}
	}
	for _, name := range s.Limits().Required {
		rank[name] = 0
	}
	slices.SortStableFunc(n.fields, func(a, b field) int { return rank[a.name] - rank[b.name] })
}

// simplify returns the canonical node for those that do nothing, and those
// that empty everything, as under most scalars.
func (c *compiler) simplify(n *node) *node {
	switch {
	case len(n.fields) > 0:
		return n
	case n.others == keepOthers && n.items == nil:
		return nil
	case n.others == dropOthers && n.items == c.empty:
		return c.empty
	}
	return n
}
