package fastpath

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

type listWalk struct {
	node  *node
	keys  int // index in w.keys of the first key of the list
	count int
	slow  bool // w.keys lacks keys, so the list must be decoded
}

func (w *walk) list(n *node, i int) int {
	if !w.enter(n, leafcheck.Array) {
		return refused
	}
	l := listWalk{node: n, keys: len(w.keys)}
	start := w.position()
	w.keep(i, i+1)
	end := w.elements(&l, i+1)
	if end < 0 {
		return refused
	}
	w.keep(end-1, end)
	if n.list != nil && !w.validList(&l, start) {
		return refused
	}
	if n.whole && !w.wholeValid(n, start) {
		return refused
	}
	clear(w.keys[l.keys:])
	w.keys = w.keys[:l.keys]
	w.depth--
	return end
}

func (w *walk) elements(l *listWalk, i int) int {
	i = jsonscan.Space(w.s, i)
	if i < len(w.s) && w.s[i] == ']' {
		return i + 1
	}
	w.steps = append(w.steps, step{})
	for more := true; more; l.count++ {
		if i >= len(w.s) {
			return refused
		}
		if l.count > 0 {
			w.comma(i)
		}
		w.steps[len(w.steps)-1].index = l.count
		end := w.element(l, i)
		if end < 0 {
			return refused
		}
		i, more = jsonscan.Next(w.s, end, ']')
	}
	w.steps = w.steps[:len(w.steps)-1]
	return i
}

func (w *walk) element(l *listWalk, i int) int {
	r, items := l.node.list, l.node.items
	if r == nil || r.slow || r.check.Kind == leafcheck.AnyList || w.s[i] == 'n' {
		l.slow = true
		return w.valueOrDefault(items, i)
	}
	switch {
	case r.check.Kind == leafcheck.SetList:
		start, end := w.position(), w.walkValue(items, i)
		if end > 0 {
			w.flush()
			w.keys = append(w.keys, view(w.out[start:]))
		}
		return end
	case w.s[i] == '{':
		return w.object(items, i, r.keys)
	}
	l.slow = true
	return w.walkValue(items, i)
}

// validList reports whether a list satisfies the schema. Its elements are already checked.
func (w *walk) validList(l *listWalk, start int) bool {
	r, ok := l.node.list, true
	if !r.check.Allows(l.count) {
		return false
	}
	switch {
	case l.count == 0 || r.check.Kind == leafcheck.AnyList && !r.slow:
	case l.slow:
		ok = w.validDecodedList(r, start)
	case r.check.Kind == leafcheck.SetList:
		ok = w.distinct(w.keys[l.keys:], 1)
	default:
		ok = w.distinct(w.keys[l.keys:], len(r.keys))
	}
	return ok
}

// validDecodedList decodes a list and reports whether its elements are distinct.
func (w *walk) validDecodedList(r *listRule, start int) bool {
	v, _ := jsonscan.Decode(w.since(start))
	list, isList := v.([]any)
	return isList && !(r.check.Unique && leafcheck.HasEqual(list)) && r.check.Distinct(list)
}

// pairwise is the largest number of rows that are compared in pairs. More rows use a map.
const pairwise = 12

// distinct reports whether all rows differ. A list element has one row of width texts. Texts are
// canonical, so two texts are equal if and only if their values are equal.
func (w *walk) distinct(texts []string, width int) bool {
	if len(texts) > pairwise*width {
		return w.distinctRows(texts, width)
	}
	for i := 0; i < len(texts); i += width {
		for j := 0; j < i; j += width {
			if slices.Equal(texts[i:i+width], texts[j:j+width]) {
				return false
			}
		}
	}
	return true
}

func (w *walk) distinctRows(texts []string, width int) bool {
	if w.rows == nil {
		w.rows = make(map[string]bool)
	}
	defer func() {
		if clear(w.rows); len(texts) > maxKept/entrySize {
			w.rows = nil // clearing a large map takes long
		}
	}()
	for row := range slices.Chunk(texts, width) {
		key := strings.Join(row, "") // different rows of JSON texts have different keys
		if w.rows[key] {
			return false
		}
		w.rows[key] = true
	}
	return true
}
