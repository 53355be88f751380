package document

import (
	"strconv"
	"strings"
)

// A Tree has the offsets of the parts of a document.
type Tree struct {
	root  *node
	start int // offset of the document's value
}

// A node is an object or a list. A scalar has no node.
type node struct {
	members []member
	list    bool
	merged  []*node // mappings that are merged into this one; the first wins
}

// A member is a field of an object or an element of a list.
type member struct {
	name  string // "" in lists
	at    int    // offset of the name, or of the element
	value *node  // nil for scalars
}

// Find returns the offset to which a JSON pointer (RFC 6901) leads, and reports
// whether the document has the whole path. Otherwise the offset is that of the
// innermost part that the document has.
func (t *Tree) Find(pointer string) (offset int, exact bool) {
	n, at := t.root, t.start
	rest := pointer
	for rest != "" {
		var step string
		step, rest = cutPointer(rest)
		m := n.find(step)
		if m == nil {
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
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~"), rest
}

// find returns the member of a step, nil if there is none.
func (n *node) find(step string) *member {
	if n == nil {
		return nil
	}
	if n.list {
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(n.members) {
			return nil
		}
		return &n.members[i]
	}
	for i := range n.members {
		if n.members[i].name == step {
			return &n.members[i]
		}
	}
	for _, m := range n.merged {
		// Only what is written there, not what is merged there in turn: a
		// mapping can be merged into itself.
		for i := range m.members {
			if m.members[i].name == step {
				return &m.members[i]
			}
		}
	}
	return nil
}
