package schema

import (
	"iter"
	"slices"
	"sort"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A Node is the compiled form of one structural schema. Its properties, items and
// additionalProperties are nodes too.
//
// A Node never changes and is safe for concurrent use. Equal schemas within one Compile are
// one Node, so a pointer identifies the schema of a value but not its location. All methods
// accept a nil receiver, which stands for a schema that declares nothing. The caller owns
// the copies that methods return.
type Node struct {
	kind  Kind
	flags flags
	facts Facts
	id    uint32 // unique in its interner, from 1

	typ string // as declared

	names []string // of properties, in increasing order
	props []*Node  // in the order of names

	items      *Node
	additional *Node

	limits    *Limits    // nil if there are none
	junctors  *junctors  // nil if there are none
	extension *extension // nil if all fields of it are zero
	rules     []Rule
	def       any // nil if there is no default

	// Set only in the root that Compile returns.
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

type junctors struct {
	allOf, anyOf, oneOf []*Branch
	not                 *Branch
}

// Stats are the size of a compiled schema.
type Stats struct {
	Nodes int // number of schemas outside of allOf, anyOf, oneOf and not
	Depth int // number of schemas on the longest path, 1 for a scalar
}

// Kind returns the declared type. A schema with x-kubernetes-int-or-string may declare any
// type or none.
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

// Property returns the schema of the declared property of this name, nil if there is none.
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

// Items returns the schema of the elements of an array, nil if it is not declared.
func (n *Node) Items() *Node { return n.orEmpty().items }

// AdditionalProperties returns the schema in additionalProperties, and reports whether
// additionalProperties is declared. The node is nil if additionalProperties is not declared
// or is a boolean; see [Node.AllowsAdditionalProperties].
func (n *Node) AdditionalProperties() (*Node, bool) {
	n = n.orEmpty()
	return n.additional, n.flags&flagAdditional != 0
}

// AllowsAdditionalProperties reports whether additionalProperties is declared
// as true or as a schema.
func (n *Node) AllowsAdditionalProperties() bool { return n.orEmpty().flags&flagAdditionalAllowed != 0 }

// Default returns a copy of the default, and reports whether there is one. A null counts as
// no default.
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

// ListType returns x-kubernetes-list-type and reports whether it is declared: "atomic", "set"
// or "map". If it is not declared, lists are atomic.
func (n *Node) ListType() (string, bool) {
	x := n.orEmpty().orNoExtension()
	return x.listType, x.setListType
}

// ListMapKeys returns x-kubernetes-list-map-keys in the order of the schema.
func (n *Node) ListMapKeys() []string { return slices.Clone(n.orEmpty().orNoExtension().listMapKeys) }

// MapType returns x-kubernetes-map-type and reports whether it is declared: "atomic" or
// "granular". If it is not declared, maps are granular.
func (n *Node) MapType() (string, bool) {
	x := n.orEmpty().orNoExtension()
	return x.mapType, x.setMapType
}

// Rules returns x-kubernetes-validations in the order of the schema.
func (n *Node) Rules() []Rule { return slices.Clone(n.orEmpty().rules) }

// Facts returns the facts about the schema and everything below it.
func (n *Node) Facts() Facts { return n.orEmpty().facts }

// Annotations returns the annotations of the whole schema, nil if there are none. Only the
// root that [Compile] returned has annotations.
func (n *Node) Annotations() *Annotations { return n.orEmpty().annotations }

// Stats returns the size of the whole schema. It is zero for nodes other than the root that
// [Compile] returned.
func (n *Node) Stats() Stats { return n.orEmpty().stats }

// emptyNode replaces a nil Node.
var emptyNode = Node{facts: CanPrune}

func (n *Node) orEmpty() *Node {
	if n == nil {
		return &emptyNode
	}
	return n
}

// A Branch is the compiled form of a schema below allOf, anyOf, oneOf or not. It constrains
// values whose structure is declared by a [Node]. In a structural schema, it declares a
// type only in the int-or-string pattern anyOf: [{type: integer}, {type: string}], and its
// additionalProperties can only be false.
//
// A Branch never changes and is safe for concurrent use. All methods accept a
// nil receiver, which stands for a schema that declares nothing.
type Branch Node

func (b *Branch) node() *Node { return (*Node)(b) }

// Kind returns the declared type.
func (b *Branch) Kind() Kind { return b.node().Kind() }

// Type returns the declared type as it is written, "" if there is none.
func (b *Branch) Type() string { return b.node().Type() }

// Nullable reports whether the schema admits null (nullable: true).
func (b *Branch) Nullable() bool { return b.node().Nullable() }

// IntOrString reports whether the value is an integer or a string
// (x-kubernetes-int-or-string: true).
func (b *Branch) IntOrString() bool { return b.node().IntOrString() }

// AdditionalProperties returns the constraints in additionalProperties, nil if there are
// none, and reports whether additionalProperties is declared. See
// [Branch.AllowsAdditionalProperties].
func (b *Branch) AdditionalProperties() (*Branch, bool) {
	n, ok := b.node().AdditionalProperties()
	return (*Branch)(n), ok
}

// AllowsAdditionalProperties reports whether additionalProperties is declared
// as true or as a schema.
func (b *Branch) AllowsAdditionalProperties() bool { return b.node().AllowsAdditionalProperties() }

// Property returns the constraints on a property, nil if there are none.
func (b *Branch) Property(name string) *Branch { return (*Branch)(b.node().Property(name)) }

// Properties yields the constrained properties in increasing order of name.
func (b *Branch) Properties() iter.Seq2[string, *Branch] {
	return func(yield func(string, *Branch) bool) {
		for name, n := range b.node().Properties() {
			if !yield(name, (*Branch)(n)) {
				return
			}
		}
	}
}

// Items returns the constraints on the elements of an array, nil if there are none.
func (b *Branch) Items() *Branch { return (*Branch)(b.node().Items()) }

// Limits returns the value validations of the branch.
func (b *Branch) Limits() Limits { return b.node().Limits() }

// AllOf returns the branches of allOf in their order, nil if there are none.
func (b *Branch) AllOf() []*Branch { return b.node().AllOf() }

// AnyOf returns the branches of anyOf in their order, nil if there are none.
func (b *Branch) AnyOf() []*Branch { return b.node().AnyOf() }

// OneOf returns the branches of oneOf in their order, nil if there are none.
func (b *Branch) OneOf() []*Branch { return b.node().OneOf() }

// Not returns the branch of not, nil if there is none.
func (b *Branch) Not() *Branch { return b.node().Not() }

// A Kind is the declared type of a schema.
type Kind uint8

const (
	// KindNone is the kind of a schema that declares no type.
	KindNone Kind = iota
	KindObject
	KindArray
	KindString
	KindInteger
	KindNumber
	KindBoolean
	// KindOther is the kind of a schema with an unknown type, which no value has.
	KindOther
)

var kindNames = [...]string{"", "object", "array", "string", "integer", "number", "boolean"}

// String returns the name of the type as a schema writes it, "" for [KindNone]
// and "other" for [KindOther].
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "other"
}

func kindOf(typ string) Kind {
	if i := slices.Index(kindNames[:], typ); i >= 0 {
		return Kind(i)
	}
	return KindOther
}

// A Bound is the minimum or maximum of a number. The zero Bound is no bound.
type Bound struct {
	Value     float64
	Set       bool
	Exclusive bool // the value must not be the bound itself
}

// A Count bounds a length, a number of items or a number of properties. The
// zero Count is no bound.
type Count struct {
	N   int64 // runes, items or properties; may be negative, as declared
	Set bool
}

// Limits are the value validations of a schema itself. They do not include its type, or
// schemas below it. The zero Limits constrain nothing.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation.
type Limits struct {
	Format  string // as declared, even if the server does not know it
	Pattern string // regular expression (RE2) that matches any part of the value

	Minimum    Bound
	Maximum    Bound
	MultipleOf Bound // Exclusive is not used

	MinLength, MaxLength         Count // runes
	MinItems, MaxItems           Count // items
	MinProperties, MaxProperties Count // properties

	UniqueItems bool

	// Enum has the allowed values, decoded as objects are. Read only.
	Enum []any
	// Required has the required names in the order of the schema. Read only.
	Required []string
}

// A Rule is one entry of x-kubernetes-validations, as data. Package
// validation/cel compiles and evaluates it.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules.
type Rule struct {
	Rule              string // CEL expression
	Message           string // fixed message of the error
	MessageExpression string // CEL expression for the message of the error
	Reason            string // an apiextensions/v1.FieldValueErrorReason, "" for none
	FieldPath         string // path of the error below the node
	// SetReason reports whether a reason is declared. The server refuses a declared "".
	SetReason bool
	// OptionalOldSelf makes oldSelf an optional. SetOptionalOldSelf reports whether
	// optionalOldSelf is declared, even as false.
	OptionalOldSelf, SetOptionalOldSelf bool
}

// Facts say what a schema declares itself or anywhere below, except below allOf, anyOf,
// oneOf and not. Engines use them to skip subtrees.
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
	// HasNullable: nullable is declared here or below.
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

// canPrune reports whether pruning can change a value of n. preserving is true if n
// preserves unknown fields, or is in items of a schema that does. Pruning empties maps
// below a boolean additionalProperties.
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
