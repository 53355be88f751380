package schema

import (
	"iter"
	"slices"
	"sort"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A Node is the compiled form of one structural schema. The nodes of a schema
// form its spine: properties, items and additionalProperties.
//
// A Node never changes and is safe for concurrent use. Equal schemas within one
// Compile are one Node, so a pointer identifies the schema of a value but not
// its location. All methods accept a nil receiver, which stands for a schema
// that declares nothing. Most methods are for building something else from the
// tree, once; the caller owns the copies that they return.
type Node struct {
	kind  Kind
	flags flags
	facts Facts
	id    uint32 // within one [Interner], from 1

	typ string // as declared

	names []string // of properties, in increasing order
	props []*Node  // in the order of names

	items      *Node
	additional *Node

	limits    *Limits    // nil if there are none
	junctors  *junctors  // nil if there are none
	extension *extension // nil if neither list type, keys nor map type is declared
	rules     []Rule
	def       any // nil if there is no default

	// Only the root that Compile returns has these.
	annotations *Annotations
	stats       Stats
}

type flags uint16

const (
	flagNullable flags = 1 << iota
	flagPreserve
	flagEmbedded
	flagIntOrString
	flagAdditional        // additionalProperties is declared
	flagAdditionalAllowed // additionalProperties is true or a schema
)

type extension struct {
	listType, mapType       string
	setListType, setMapType bool
	listMapKeys             []string
}

// The junctors of a node. The zero junctors are none.
type junctors struct {
	allOf, anyOf, oneOf []*Branch
	not                 *Branch
}

// Stats are the size of a compiled schema.
type Stats struct {
	Nodes int // schemas of the spine
	Depth int // nodes on the longest path, 1 for a scalar
}

// Kind returns the declared type. A schema with x-kubernetes-int-or-string may
// declare any or none.
func (n *Node) Kind() Kind { return n.orEmpty().kind }

// Type returns the declared type as it is written, "" if there is none.
func (n *Node) Type() string { return n.orEmpty().typ }

// Nullable reports whether the schema admits null (nullable: true).
func (n *Node) Nullable() bool { return n.orEmpty().flags&flagNullable != 0 }

// PreserveUnknownFields reports whether unknown fields are kept
// (x-kubernetes-preserve-unknown-fields: true).
func (n *Node) PreserveUnknownFields() bool { return n.orEmpty().flags&flagPreserve != 0 }

// EmbeddedResource reports whether the value is an object with apiVersion,
// kind and metadata of its own (x-kubernetes-embedded-resource: true).
func (n *Node) EmbeddedResource() bool { return n.orEmpty().flags&flagEmbedded != 0 }

// IntOrString reports whether the value is an integer or a string
// (x-kubernetes-int-or-string: true).
func (n *Node) IntOrString() bool { return n.orEmpty().flags&flagIntOrString != 0 }

// Len returns the number of declared properties.
func (n *Node) Len() int { return len(n.orEmpty().names) }

// Property returns the schema of the declared property of this name, nil if
// there is none.
func (n *Node) Property(name string) *Node {
	n = n.orEmpty()
	i := sort.SearchStrings(n.names, name)
	if i < len(n.names) && n.names[i] == name {
		return n.props[i]
	}
	return nil
}

// Properties yields the declared properties in increasing order of name.
func (n *Node) Properties() iter.Seq2[string, *Node] {
	n = n.orEmpty()
	return func(yield func(string, *Node) bool) {
		for i, name := range n.names {
			if !yield(name, n.props[i]) {
				return
			}
		}
	}
}

// Items returns the schema of the elements of an array, nil if it is not
// declared.
func (n *Node) Items() *Node { return n.orEmpty().items }

// AdditionalProperties returns the schema of properties that are not declared
// by name, and reports whether additionalProperties is declared. The node is
// nil if it is not declared or is a boolean; see
// [Node.AllowsAdditionalProperties].
func (n *Node) AdditionalProperties() (*Node, bool) {
	n = n.orEmpty()
	return n.additional, n.flags&flagAdditional != 0
}

// AllowsAdditionalProperties reports whether additionalProperties is declared
// as true or as a schema.
func (n *Node) AllowsAdditionalProperties() bool { return n.orEmpty().flags&flagAdditionalAllowed != 0 }

// Default returns a copy of the default value, and reports whether there is
// one. A default of null does not count.
func (n *Node) Default() (any, bool) {
	n = n.orEmpty()
	if n.def == nil {
		return nil, false
	}
	return jsonval.Clone(n.def), true
}

// Limits returns the value validations of the node.
func (n *Node) Limits() Limits {
	n = n.orEmpty()
	if n.limits == nil {
		return Limits{}
	}
	return *n.limits
}

// AllOf returns the branches of allOf in their order, nil if there are none.
func (n *Node) AllOf() []*Branch { return slices.Clone(n.orEmpty().orNoJunctors().allOf) }

// AnyOf returns the branches of anyOf in their order, nil if there are none.
func (n *Node) AnyOf() []*Branch { return slices.Clone(n.orEmpty().orNoJunctors().anyOf) }

// OneOf returns the branches of oneOf in their order, nil if there are none.
func (n *Node) OneOf() []*Branch { return slices.Clone(n.orEmpty().orNoJunctors().oneOf) }

// Not returns the branch of not, nil if there is none.
func (n *Node) Not() *Branch { return n.orEmpty().orNoJunctors().not }

func (n *Node) orNoJunctors() *junctors {
	if n.junctors == nil {
		return &junctors{}
	}
	return n.junctors
}

func (n *Node) orNoExtension() *extension {
	if n.extension == nil {
		return &extension{}
	}
	return n.extension
}

// ListType returns x-kubernetes-list-type and reports whether it is declared:
// "atomic", "set" or "map". Lists are atomic if it is not.
func (n *Node) ListType() (string, bool) {
	x := n.orEmpty().orNoExtension()
	return x.listType, x.setListType
}

// ListMapKeys returns x-kubernetes-list-map-keys in the order of the schema.
func (n *Node) ListMapKeys() []string { return slices.Clone(n.orEmpty().orNoExtension().listMapKeys) }

// MapType returns x-kubernetes-map-type and reports whether it is declared:
// "atomic" or "granular". Maps are granular if it is not.
func (n *Node) MapType() (string, bool) {
	x := n.orEmpty().orNoExtension()
	return x.mapType, x.setMapType
}

// Rules returns x-kubernetes-validations in the order of the schema.
func (n *Node) Rules() []Rule { return slices.Clone(n.orEmpty().rules) }

// Facts returns the facts about the schema and everything below it.
func (n *Node) Facts() Facts { return n.orEmpty().facts }

// Annotations returns the annotations of the whole schema. They are nil if
// there are none, and for every node but the root that [Compile] returned.
func (n *Node) Annotations() *Annotations { return n.orEmpty().annotations }

// Stats returns the size of the whole schema. It is zero for every node but the
// root that [Compile] returned.
func (n *Node) Stats() Stats { return n.orEmpty().stats }

// emptyNode is what a nil Node stands for. It never changes.
var emptyNode = Node{facts: CanPrune}

func (n *Node) orEmpty() *Node {
	if n == nil {
		return &emptyNode
	}
	return n
}
