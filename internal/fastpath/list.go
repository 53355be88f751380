package fastpath

import (
	"hash/maphash"
	"slices"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

// A listWalk is the state of one list that is open.
type listWalk struct {
	node  *node
	keys  int // index of its first key in w.keys
	count int
	slow  bool // the keys do not tell whether the elements are distinct
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
	if n.list != nil && !w.listed(&l, start) {
		return refused
	}
	if n.whole && !w.wholeValid(n, start) {
		return w.refuse(wrongWhole)
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

// listed reports whether a list satisfies what the schema demands of it apart
// from its elements.
func (w *walk) listed(l *listWalk, start int) bool {
	r, ok := l.node.list, true
	if !r.check.Allows(l.count) {
		return w.not(wrongCount)
	}
	switch {
	case l.count == 0 || r.check.Kind == leafcheck.AnyList && !r.slow:
	case l.slow:
		ok = w.judged(r, start)
	case r.check.Kind == leafcheck.SetList:
		ok = w.distinct(w.keys[l.keys:], 1)
	default:
		ok = w.distinct(w.keys[l.keys:], len(r.keys))
	}
	return ok || w.not(equalElements)
}

// judged is listed for a list whose keys do not tell whether its elements are distinct.
func (w *walk) judged(r *listRule, start int) bool {
	v, _ := jsonscan.Decode(w.since(start))
	list, isList := v.([]any)
	return isList && !(r.check.Unique && leafcheck.HasEqual(list)) && r.check.Distinct(list)
}

// pairwise is up to how many elements each is compared with all others.
const pairwise = 12

// A slot of a hash table refers to a row by its number from 1; 0 is free.
type slot struct{ hash, number uint32 }

// distinct reports whether all rows of texts of that width are different. Values
// are if their texts are, because no float is written like an integer.
func (w *walk) distinct(texts []string, width int) bool {
	rows := len(texts) / width
	if rows > pairwise {
		return w.hashed(texts, width)
	}
	for i := range rows {
		row := texts[i*width : (i+1)*width]
		for j := range i {
			if slices.Equal(row, texts[j*width:(j+1)*width]) {
				return false
			}
		}
	}
	return true
}

func (w *walk) hashed(texts []string, width int) bool {
	rows := len(texts) / width
	mask := w.clearTable(rows)
	for i := range rows {
		row := texts[i*width : (i+1)*width]
		var h uint64
		for _, s := range row {
			h = h*0x9e3779b97f4a7c15 + maphash.String(w.plan.seed, s)
		}
		at := h & mask
		for w.table[at].number != 0 {
			s := w.table[at]
			j := int(s.number - 1)
			if s.hash == uint32(h>>32) && slices.Equal(row, texts[j*width:(j+1)*width]) {
				return false
			}
			at = (at + 1) & mask
		}
		w.table[at] = slot{hash: uint32(h >> 32), number: uint32(i + 1)}
	}
	return true
}

// clearTable makes room for so many rows, and returns the mask for hashes.
func (w *walk) clearTable(rows int) (mask uint64) {
	size := 64
	for size < 2*rows {
		size *= 2
	}
	w.table = slices.Grow(w.table[:0], size)[:size]
	clear(w.table)
	return uint64(size - 1)
}
