package fastpath

import (
	"slices"
	"strings"
)

// sort puts the members in order. It reports false if two have the same key.
func (w *walk) sort(o *objectWalk) bool {
	list := w.entries[o.base:]
	w.sorted = o.node
	if !w.sortEntries(list) {
		return w.not(repeatedKey)
	}
	w.rewrite(o, list)
	return true
}

// fewSorted is the largest number of entries that are sorted by insertion.
const fewSorted = 12

// sortEntries sorts entries by their names. It reports false if two have the same one.
func (w *walk) sortEntries(list []entry) bool {
	if len(list) <= fewSorted {
		for i := range list {
			if !w.insert(list, i) {
				return false
			}
		}
		return true
	}
	slices.SortFunc(list, w.compare)
	for i := 1; i < len(list); i++ {
		if w.compare(list[i-1], list[i]) == 0 {
			return false
		}
	}
	return true
}

// insert moves list[i] to its place in the entries before it, which are sorted. It reports
// false if one of them has its name.
func (w *walk) insert(list []entry, i int) bool {
	e := list[i]
	for ; i > 0; i-- {
		order := w.order(&list[i-1], &e)
		if order == 0 {
			return false
		}
		if order < 0 {
			break
		}
		list[i] = list[i-1]
	}
	list[i] = e
	return true
}

// order compares the names of two members of w.sorted.
func (w *walk) order(a, b *entry) int {
	if a.member >= 0 && b.member >= 0 {
		return a.member - b.member
	}
	return strings.Compare(w.keyOf(w.sorted, a), w.keyOf(w.sorted, b))
}

// compareEntries is order for [slices.SortFunc].
func (w *walk) compareEntries(a, b entry) int { return w.order(&a, &b) }
