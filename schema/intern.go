package schema

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// An interner makes equal schemas share one node. With [schemaopt.Shared], several calls of
// [Compile] use one interner.
type interner struct {
	mu    sync.Mutex
	roots map[sharedRoot]*Node
	// nodes has the nodes by key. A key encodes what a schema declares, with the ids of the
	// nodes below it. So equal subtrees have equal keys.
	nodes map[string]*Node

	annotations map[string]*Annotations
	texts       map[string]sharedText // descriptions and titles
	key         []byte
}

type sharedText struct {
	text string
	id   uint32
}

// A sharedRoot is the key of a root. Equal schemas have equal keys.
type sharedRoot struct {
	node        *Node
	annotations *Annotations
}

func newInterner() any {
	return &interner{
		roots:       map[sharedRoot]*Node{},
		nodes:       map[string]*Node{},
		annotations: map[string]*Annotations{},
		texts:       map[string]sharedText{},
	}
}

// annotation returns the shared copy of a, which annotates n. example is the text of
// a.example.
func (i *interner) annotation(a *Annotations, n *Node, example *apiextensionsv1.JSON) *Annotations {
	b := appendUint(i.key[:0], uint64(n.id))
	b = appendUint(appendUint(b, i.text(&a.description)), i.text(&a.title))
	if b = appendBool(b, a.docs != nil); a.docs != nil {
		b = appendUint(appendUint(b, i.text(&a.docs.Description)), i.text(&a.docs.URL))
	}
	b = appendJSON(b, example)
	b = appendUint(appendUint(b, annotationID(a.items)), annotationID(a.additional))
	for _, p := range a.properties {
		b = appendUint(b, annotationID(p))
	}
	i.key = b
	old, ok := i.annotations[string(b)]
	if !ok {
		old = a
		a.id = uint32(len(i.annotations)) + 1
		i.annotations[string(b)] = a
	}
	return old
}

// text replaces a text by its shared copy, and returns the id of the copy.
func (i *interner) text(text *string) uint64 {
	shared, ok := i.texts[*text]
	if !ok {
		shared = sharedText{*text, uint32(len(i.texts))}
		i.texts[*text] = shared
	}
	*text = shared.text
	return uint64(shared.id)
}

func annotationID(a *Annotations) uint64 {
	if a == nil {
		return 0
	}
	return uint64(a.id)
}

func (p *parts) appendKey(b []byte, s *apiextensionsv1.JSONSchemaProps, nested bool) []byte {
	b = append(appendBool(b, nested), byte(flagsOf(s)))
	b = appendString(b, s.Type)
	b = appendStrings(b, p.names)
	for _, c := range p.props {
		b = appendUint(b, nodeID(c))
	}
	b = appendUint(appendUint(b, nodeID(p.items)), nodeID(p.additional))
	if b = appendBool(b, p.junctors != nil); p.junctors != nil {
		b = p.junctors.appendKey(b)
	}
	b = appendLimits(b, s)
	if nested {
		return b
	}
	b = appendStrings(appendText(appendText(b, s.XListType), s.XMapType), s.XListMapKeys)
	b = appendUint(b, uint64(len(s.XValidations)))
	for i := range s.XValidations {
		b = appendRule(b, &s.XValidations[i])
	}
	return appendJSON(b, s.Default)
}

func (j *junctors) appendKey(b []byte) []byte {
	for _, list := range [...][]*Branch{j.allOf, j.anyOf, j.oneOf} {
		b = appendUint(b, uint64(len(list)))
		for _, e := range list {
			b = appendUint(b, uint64(e.id))
		}
	}
	return appendUint(b, nodeID((*Node)(j.not)))
}

func nodeID(n *Node) uint64 {
	if n == nil {
		return 0
	}
	return uint64(n.id)
}

func appendLimits(b []byte, s *apiextensionsv1.JSONSchemaProps) []byte {
	b = appendString(appendString(b, s.Format), s.Pattern)
	for _, f := range [...]*float64{s.Minimum, s.Maximum, s.MultipleOf} {
		if b = appendBool(b, f != nil); f != nil {
			b = appendUint(b, math.Float64bits(*f))
		}
	}
	for _, n := range [...]*int64{s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MinProperties, s.MaxProperties} {
		if b = appendBool(b, n != nil); n != nil {
			b = appendUint(b, uint64(*n))
		}
	}
	b = appendBool(appendBool(appendBool(b, s.ExclusiveMinimum), s.ExclusiveMaximum), s.UniqueItems)
	b = appendStrings(b, s.Required)
	b = appendUint(b, uint64(len(s.Enum)))
	for i := range s.Enum {
		b = appendJSON(b, &s.Enum[i])
	}
	return b
}

func appendRule(b []byte, r *apiextensionsv1.ValidationRule) []byte {
	for _, s := range [...]string{r.Rule, r.Message, r.MessageExpression, r.FieldPath} {
		b = appendString(b, s)
	}
	b = appendText(b, (*string)(r.Reason))
	if b = appendBool(b, r.OptionalOldSelf != nil); r.OptionalOldSelf != nil {
		b = appendBool(b, *r.OptionalOldSelf)
	}
	return b
}

func appendUint(b []byte, u uint64) []byte { return binary.AppendUvarint(b, u) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendString(b []byte, s string) []byte {
	return append(appendUint(b, uint64(len(s))), s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = appendUint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

func appendText(b []byte, text *string) []byte {
	if b = appendBool(b, text != nil); text != nil {
		b = appendString(b, *text)
	}
	return b
}

// appendJSON appends a literal. Null is like no literal.
func appendJSON(b []byte, j *apiextensionsv1.JSON) []byte {
	if isNull(j) {
		return append(b, 0)
	}
	return append(appendUint(b, uint64(len(j.Raw))), j.Raw...)
}

// RewriteDefaults returns a copy of the tree n in which f(path, def) replaces every default.
// If f returns nil, the default is removed. f must not keep path, and owns def, a copy of
// the default. In path, items have the index 0 and additionalProperties the key "*".
// RewriteDefaults returns n itself if f changes nothing or n is nil.
func (n *Node) RewriteDefaults(f func(path Path, def any) any) *Node {
	return n.rewrite(nil, f)
}

func (n *Node) rewrite(path Path, f func(Path, any) any) *Node {
	if n == nil || !n.facts.Has(HasDefaults) {
		return n
	}
	def, changed := n.def, false
	if def != nil {
		def = f(path, jsonval.Clone(def))
		changed = !jsonval.Equal(def, n.def)
	}
	additional := n.additional.rewrite(append(path, Key("*")), f)
	items := n.items.rewrite(append(path, Index(0)), f)
	changed = changed || additional != n.additional || items != n.items
	props := n.props
	for i, p := range n.props {
		q := p.rewrite(append(path, Field(n.names[i])), f)
		if q == p {
			continue
		}
		if &props[0] == &n.props[0] {
			props = slices.Clone(n.props)
		}
		props[i] = q
		changed = true
	}
	if !changed {
		return n
	}
	out := *n
	out.def, out.additional, out.items, out.props = def, additional, items, props
	out.facts = factsOf(&out)
	return &out
}
