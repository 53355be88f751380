package source

import "github.com/crdkit/crdkit/internal/tape"

// readTape reads the texts that package tape reads, which are most.
func readTape(text string) (*Tree, bool) {
	t, ok := tape.Read(text)
	if !ok || t.Kind(0) != tape.Object {
		return nil, false
	}
	return &Tree{root: fromTape(t, 0), start: t.At(0)}, true
}

// fromTape returns the node of a value, nil for a scalar.
func fromTape(t *tape.Tape, i int) *node {
	kind := t.Kind(i)
	if kind != tape.Object && kind != tape.List {
		return nil
	}
	n := &node{list: kind == tape.List, members: make([]member, t.Len(i))}
	at := i + 1
	for k := range n.members {
		m := &n.members[k]
		m.at = t.At(at)
		if !n.list {
			m.name = t.Text(at)
			at++
		}
		m.value = fromTape(t, at)
		at = t.Next(at)
	}
	return n
}
