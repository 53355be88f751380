package document

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/path/pathstack"
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
	merged  []*node        // mappings that are merged into this one; the first wins
	index   map[string]int // of the members of a large object by name
}

// minIndexed is the number of members from which an object has an index.
const minIndexed = 64

// addIndex adds the index of a large object.
func (n *node) addIndex() {
	if n.list || len(n.members) < minIndexed {
		return
	}
	n.index = make(map[string]int, len(n.members))
	for i, m := range n.members {
		if _, repeated := n.index[m.name]; !repeated {
			n.index[m.name] = i
		}
	}
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
	return pathstack.Unescape(step), rest
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
	if m := n.written(step); m != nil {
		return m
	}
	for _, merged := range n.merged {
		// Only what is written there, not what is merged there in turn: a
		// mapping can be merged into itself.
		if m := merged.written(step); m != nil {
			return m
		}
	}
	return nil
}

// written returns the first member of a name that is written in an object, nil if
// there is none.
func (n *node) written(name string) *member {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return &n.members[i]
		}
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}
