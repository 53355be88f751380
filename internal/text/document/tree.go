package document

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

// A Tree has the positions of the parts of a document.
type Tree struct {
	root  *node
	start Position // of the document's value
}

// A node is an object or a list. A scalar has no node.
type node struct {
	list     bool
	elements []member          // of a list
	fields   map[string]member // of an object, the first of each name
	merged   []*node           // mappings that are merged into this one; the first wins
}

func newNode(list bool) *node {
	if list {
		return &node{list: true}
	}
	return &node{fields: map[string]member{}}
}

// add adds an element, or a field unless there is one of the name.
func (n *node) add(name string, m member) {
	if n.list {
		n.elements = append(n.elements, m)
	} else if _, repeated := n.fields[name]; !repeated {
		n.fields[name] = m
	}
}

type member struct {
	at    Position // of the name, or of the element
	value *node    // nil for scalars
}

// Find returns the position to which a JSON pointer (RFC 6901) leads, and reports
// whether the document has the whole path. Otherwise the position is that of the
// innermost part that the document has.
func (t *Tree) Find(pointer string) (at Position, exact bool) {
	n, at := t.root, t.start
	rest := pointer
	for rest != "" {
		var step string
		step, rest = cutPointer(rest)
		m, ok := n.find(step)
		if !ok {
			return at, false
		}
		n, at = m.value, m.at
	}
	return at, true
}

func cutPointer(pointer string) (step, rest string) {
	step = strings.TrimPrefix(pointer, "/")
	if end := strings.IndexByte(step, '/'); end >= 0 {
		step, rest = step[:end], step[end:]
	}
	return pathstack.Unescape(step), rest
}

// find returns the member of a step. It reports false if there is none.
func (n *node) find(step string) (member, bool) {
	if n == nil {
		return member{}, false
	}
	if n.list {
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(n.elements) {
			return member{}, false
		}
		return n.elements[i], true
	}
	if m, ok := n.fields[step]; ok {
		return m, true
	}
	for _, merged := range n.merged {
		// Only what is written there, not what is merged there in turn: a
		// mapping can be merged into itself.
		if m, ok := merged.fields[step]; ok {
			return m, true
		}
	}
	return member{}, false
}
