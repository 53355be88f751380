package objectmeta

import (
	"slices"
	"sort"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/schema"
)

// Embedded has the locations of embedded resources in objects of one schema:
// the values of schemas with x-kubernetes-embedded-resource. It coerces and
// checks their apiVersion, kind and metadata.
//
// An Embedded never changes and is safe for concurrent use.
type Embedded struct {
	root         *node       // nil if the schema has no embedded resources
	path         *field.Path // of the root, for errors
	pointer      string      // of the root, for limit
	limit        *errorlimit.Limit
	resourceRoot bool
	reference    bool
}

// A node is a schema with an embedded resource here or below. Other schemas
// have no node, and their values are not visited.
type node struct {
	embedded bool
	// metadataHasEmbedded: the metadata of this embedded resource contains
	// embedded resources. They are visited before the metadata is replaced, so
	// the metadata must be copied.
	metadataHasEmbedded bool

	names    []string // of the properties that have a node, in increasing order
	children []*node  // in the order of names

	additional *node               // of properties that are not declared
	declared   map[string]struct{} // names of all declared properties; set if additional is
	items      *node
}

// NewEmbedded returns the embedded resources of the schema n. It never returns
// nil. A nil n declares none.
func NewEmbedded(n *schema.Node, opts ...Option) *Embedded {
	e := &Embedded{}
	for _, o := range opts {
		o.apply(e)
	}
	c := compiler{done: map[*schema.Node]*node{}}
	if n != nil {
		e.root = c.compileNode(n)
	}
	if e.resourceRoot {
		root := node{}
		if n != nil {
			c.fill(&root, n)
		}
		root.embedded = true
		root.metadataHasEmbedded = root.entersMetadata()
		e.root = &root
	}
	return e
}

// Empty reports whether the schema has no embedded resources. No object needs a
// visit then.
func (e *Embedded) Empty() bool { return e.root == nil }

// A compiler makes one node for each schema node.
type compiler struct {
	done map[*schema.Node]*node
}

func (c *compiler) compileNode(n *schema.Node) *node {
	if n == nil || !n.Facts().Has(schema.HasEmbedded) {
		return nil
	}
	if out, ok := c.done[n]; ok {
		return out
	}
	out := &node{embedded: n.EmbeddedResource()}
	c.done[n] = out
	c.fill(out, n)
	out.metadataHasEmbedded = out.embedded && out.entersMetadata()
	return out
}

func (c *compiler) fill(out *node, n *schema.Node) {
	for name, p := range n.Properties() {
		if child := c.compileNode(p); child != nil {
			out.names = append(out.names, name)
			out.children = append(out.children, child)
		}
	}
	out.items = c.compileNode(n.Items())
	additional, _ := n.AdditionalProperties()
	if out.additional = c.compileNode(additional); out.additional == nil {
		return
	}
	out.declared = map[string]struct{}{}
	for name := range n.Properties() {
		out.declared[name] = struct{}{}
	}
}

func (n *node) entersMetadata() bool {
	child, _ := n.child("metadata")
	return child != nil
}

// child returns the node of a member of an object and the step to it. The node
// is nil if the member has no embedded resources.
func (n *node) child(name string) (*node, schema.Step) {
	i := sort.SearchStrings(n.names, name)
	if i < len(n.names) && n.names[i] == name {
		return n.children[i], fieldStep(name)
	}
	if n.undeclared(name) {
		return n.additional, schema.Key(name)
	}
	return nil, schema.Step{}
}

// undeclared reports whether additional applies to a member of this name.
func (n *node) undeclared(name string) bool {
	if n.additional == nil {
		return false
	}
	_, declared := n.declared[name]
	return !declared
}

// fieldStep returns the step to a declared property. The server writes a
// property with an empty name like an index.
func fieldStep(name string) schema.Step {
	if name == "" {
		return schema.Key("")
	}
	return schema.Field(name)
}

// members returns the members of m to visit, in increasing order of name.
func (n *node) members(m map[string]any) []string {
	if !n.embedded && n.additional == nil {
		return n.names
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
