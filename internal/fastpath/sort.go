package fastpath

import (
	"slices"
	"strings"
)

// sort puts the members in order. It reports false if two have the same key.
func (w *walk) sort(o *objectWalk) bool {
	list := w.entries[o.base:]
	w.sorted = o.node
	slices.SortFunc(list, w.compare)
	for i := 1; i < len(list); i++ {
		if w.compare(list[i-1], list[i]) == 0 {
			return false
		}
	}
	w.rewrite(o, list)
	return true
}

// compareEntries compares the names of two members of w.sorted.
func (w *walk) compareEntries(a, b entry) int {
	if a.member >= 0 && b.member >= 0 {
		return a.member - b.member
	}
	return strings.Compare(w.keyOf(w.sorted, &a), w.keyOf(w.sorted, &b))
}
