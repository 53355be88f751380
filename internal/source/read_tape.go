package source

import "github.com/crdkit/crdkit/internal/tape"

// readTreeFast reads the texts that package tape reads, which are most.
func readTreeFast(text string) (*Tree, bool) {
	t, ok := tape.Tokenize(text)
	if !ok || t.Kind(0) != tape.Object {
		return nil, false
	}
	return &Tree{root: nodeFromTokens(t, 0), start: t.Offset(0)}, true
}

// nodeFromTokens returns the node of a value, nil for a scalar.
func nodeFromTokens(t *tape.Tokens, i int) *node {
	kind := t.Kind(i)
	if kind != tape.Object && kind != tape.List {
		return nil
	}
	n := &node{list: kind == tape.List, members: make([]member, t.Len(i))}
	at := i + 1
	for k := range n.members {
		m := &n.members[k]
		m.at = t.Offset(at)
		if !n.list {
			m.name = t.Text(at)
			at++
		}
		m.value = nodeFromTokens(t, at)
		at = t.Next(at)
	}
	return n
}
