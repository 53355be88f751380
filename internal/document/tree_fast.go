package document

// readTreeFast is the fast path of ReadTree. It declines the texts that
// Tokenize declines.
func readTreeFast(text string) (*Tree, bool) {
	t, ok := Tokenize(text)
	if !ok || t.Kind(0) != Object {
		return nil, false
	}
	return &Tree{root: nodeFromTokens(t, 0), start: t.Offset(0)}, true
}

// nodeFromTokens returns the node of a value, nil for a scalar.
func nodeFromTokens(t *Tokens, i int) *node {
	kind := t.Kind(i)
	if kind != Object && kind != List {
		return nil
	}
	n := &node{list: kind == List, members: make([]member, t.Len(i))}
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
