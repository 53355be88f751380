package pruning

import (
	"slices"
	"sort"

	"github.com/crdkit/crdkit/internal/names/nameindex"
	"github.com/crdkit/crdkit/schema"
)

// A node is the compiled schema of a map or list. A nil node prunes nothing. Equal schemas
// share a node, unless only one of them preserves unknown fields.
type node struct {
	// fields are the declared fields, the most likely to be present first. If undeclared
	// fields are kept, fields that pruning cannot change are omitted.
	fields []field
	index  nameindex.Index // of fields

	others others
	rest   *node // for undeclared fields if others is walkOthers
	items  *node
}

type field struct {
	name string
	node *node
}

// The type others says what to do with map entries that are not in node.fields.
type others uint8

const (
	dropOthers others = iota
	keepOthers
	walkOthers
)

// probeIsFaster reports whether it is faster to look up the fields of n in a map of this size
// than to range over the map. To start a range costs about as much as five lookups, and more
// in a map of more than smallMap entries.
func (n *node) probeIsFaster(entries int) bool {
	if entries > smallMap {
		return len(n.fields) <= 2*entries
	}
	return len(n.fields) <= 4+entries
}

// smallMap is the largest number of entries that Go stores in one group of a map.
const smallMap = 8

// compile returns the node for whole objects. If resource is true, apiVersion, kind and
// metadata are kept.
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
	empty *node // removes all entries of a map, and of maps in lists
}

type key struct {
	schema   *schema.Node
	preserve bool
}

// compileNode returns the node for values of n. preserve is true for items of a list that
// preserves unknown fields.
func (c *compiler) compileNode(n *schema.Node, preserve bool) *node {
	preserve = preserve || n.PreserveUnknownFields()
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

// compileObject returns the node for maps and lists. n may be nil.
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
		// A field without a node is kept as it is. So is a field that is not in the list.
		out.fields = slices.DeleteFunc(out.fields, func(f field) bool { return f.node == nil })
	}
	names := make([]string, len(out.fields))
	for i, f := range out.fields {
		names[i] = f.name
	}
	out.index = nameindex.New(names)
	return out
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

// protect makes pruning keep the field of this name unchanged.
func (n *node) protect(name string) {
	n.fields = slices.DeleteFunc(n.fields, func(f field) bool { return f.name == name })
	n.fields = slices.Insert(n.fields, 0, field{name: name})
}

// sortByLikelihood puts required fields first, then fields with defaults. A probe of a map
// ends early when it has found all entries.
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
	sort.SliceStable(n.fields, func(i, j int) bool { return rank[n.fields[i].name] < rank[n.fields[j].name] })
}

// simplify returns nil for a node that prunes nothing, and c.empty for a node that removes
// everything.
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
