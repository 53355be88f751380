package schema

import (
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/testopt"
)

// An Interner lets several calls of [Compile] share memory: equal schemas, of
// one definition or of several, become one [Node] and one [Annotations]. Two
// equal schemas have the same root, so two roots are the same pointer if and
// only if the schemas are equal, annotations included. It is an option of
// [Compile].
//
// An Interner keeps everything that it has shared. A program that compiles and
// drops schemas again and again replaces its Interner from time to time.
//
// An Interner is safe for concurrent use. Calls with the same Interner wait for
// each other.
type Interner struct {
	mu       sync.Mutex
	interner interner
	roots    map[sharedRoot]*Node

	texts       map[string]sharedText // descriptions and titles
	annotations map[string]*Annotations
	buf         []byte
}

// A sharedText is a text with an id.
type sharedText struct {
	text string
	id   uint32
}

// A sharedRoot identifies equal schemas.
type sharedRoot struct {
	node        *Node
	annotations *Annotations
}

// NewInterner returns an empty Interner.
func NewInterner() *Interner {
	return &Interner{
		interner:    interner{share: true},
		roots:       map[sharedRoot]*Node{},
		texts:       map[string]sharedText{},
		annotations: map[string]*Annotations{},
	}
}

// SchemaOption makes an Interner an option of [Compile].
func (*Interner) SchemaOption(testopt.Sealed) {}

// lend makes c use i until it calls the returned function.
func (i *Interner) lend(c *compiler) (done func()) {
	i.mu.Lock()
	c.interner, c.lender = &i.interner, i
	return i.mu.Unlock
}

// root returns the root of a compiled schema.
func (i *Interner) root(c *compiler, shared *Node, notes *Annotations) *Node {
	key := sharedRoot{shared, notes}
	root, ok := i.roots[key]
	if !ok {
		root = c.finish(shared, notes)
		root.stats.Unique = countUnique(shared)
		i.roots[key] = root
	}
	return root
}

// countUnique returns the number of different nodes of a tree.
func countUnique(root *Node) int {
	seen := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		visit(n.items)
		visit(n.additional)
		for _, p := range n.props {
			visit(p)
		}
	}
	visit(root)
	return len(seen)
}

// annotation returns the shared copy of a, the annotations of n. example is the
// text of its example.
func (i *Interner) annotation(a *Annotations, n *Node, example *apiextensionsv1.JSON, s *slabs) *Annotations {
	b := appendUint(i.buf[:0], uint64(n.id))
	b = appendUint(appendUint(b, i.text(&a.description)), i.text(&a.title))
	if b = appendBool(b, a.docs != nil); a.docs != nil {
		b = appendUint(appendUint(b, i.text(&a.docs.Description)), i.text(&a.docs.URL))
	}
	b = appendJSON(b, example)
	b = appendUint(appendUint(b, annotationID(a.items)), annotationID(a.additional))
	for _, p := range a.properties {
		b = appendUint(b, annotationID(p))
	}
	i.buf = b
	if old, ok := i.annotations[string(b)]; ok {
		return old
	}
	out := s.annotation(a)
	out.id = uint32(len(i.annotations)) + 1
	i.annotations[string(b)] = out
	return out
}

// text returns the id of a text, and replaces the text by the shared copy.
func (i *Interner) text(text *string) uint64 {
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
