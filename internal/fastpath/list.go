package fastpath

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/leafcheck"
)

// A listWalk is the state of one list that is being walked.
type listWalk struct {
	node  *node
	start int // in out
	keys  int // in w.keys
	count int
	slow  bool // keys cannot be told from the text
}

func (w *walk) list(n *node, i int) int {
	if n.accept&leafcheck.Array == 0 || w.depth >= jsonscan.MaxDepth {
		return refused
	}
	w.depth++
	l := listWalk{node: n, start: len(w.out), keys: len(w.keys)}
	w.out = append(w.out, '[')
	i = w.elements(&l, i+1)
	if i < 0 {
		return refused
	}
	w.out = append(w.out, ']')
	if !w.listed(&l) || !w.finished(n, l.start) {
		return refused
	}
	w.keys = w.keys[:l.keys]
	w.depth--
	return i
}

func (w *walk) elements(l *listWalk, i int) int {
	i = jsonscan.Space(w.s, i)
	if i < len(w.s) && w.s[i] == ']' {
		return i + 1
	}
	for more := true; more; {
		if i >= len(w.s) {
			return refused
		}
		if l.count > 0 {
			w.out = append(w.out, ',')
		}
		unknown := len(w.notes)
		end := w.element(l, i)
		if end < 0 {
			return refused
		}
		w.throughElement(unknown, l.count)
		l.count++
		i, more = jsonscan.Next(w.s, end, ']')
	}
	return i
}

func (w *walk) element(l *listWalk, i int) int {
	items := l.node.items
	start := len(w.out)
	if w.s[i] == 'n' && items.nullFill {
		if items.fill.odd {
			return refused
		}
		w.touched = true
		w.out = append(w.out, items.fill.json...)
		l.slow = true
		return jsonscan.Literal(w.s, i, "null")
	}
	if l.node.list == nil || l.node.list.slow {
		return w.value(items, i)
	}
	switch l.node.list.kind {
	case leafcheck.MapList:
		if w.s[i] == '{' {
			return w.object(items, i, l.node.list.keys)
		}
		l.slow = true // is it null?
	case leafcheck.SetList:
		end := w.value(items, i)
		w.keys = append(w.keys, span{start, len(w.out)})
		return end
	}
	return w.value(items, i)
}

// listed reports whether the list is what is asked of it apart from its
// elements.
func (w *walk) listed(l *listWalk) bool {
	r := l.node.list
	if r == nil {
		return true
	}
	if l.count < r.min || r.max >= 0 && l.count > r.max {
		return false
	}
	switch {
	case r.slow || l.slow:
		return w.decodedDistinct(r, l.start)
	case r.kind == leafcheck.SetList:
		return w.distinct(w.keys[l.keys:], 1)
	case r.kind == leafcheck.MapList:
		return w.distinct(w.keys[l.keys:], len(r.keys))
	}
	return true
}

// decodedDistinct looks at the values of the list.
func (w *walk) decodedDistinct(r *listRule, start int) bool {
	v, ok := jsonscan.Decode(string(w.out[start:]))
	list, isList := v.([]any)
	if !ok || !isList {
		return false
	}
	return r.check.Distinct(list) && (!r.check.Unique || !leafcheck.HasEqual(list))
}

// pairwise is up to how many elements each is compared with all others.
const pairwise = 12

// A slot of a hash table refers to a row by its number from 1; 0 is free.
type slot struct{ hash, number uint32 }

// distinct reports whether all rows of keys of that width are different. They
// are if their texts are, as no float is written like an integer.
func (w *walk) distinct(keys []span, width int) bool {
	rows := len(keys) / width
	if rows > pairwise {
		return w.hashed(keys, width)
	}
	for i := range rows {
		for j := range i {
			if w.sameRow(keys[i*width:(i+1)*width], keys[j*width:(j+1)*width]) {
				return false
			}
		}
	}
	return true
}

func (w *walk) sameRow(a, b []span) bool {
	for i := range a {
		if !bytes.Equal(w.out[a[i].start:a[i].end], w.out[b[i].start:b[i].end]) {
			return false
		}
	}
	return true
}

func (w *walk) hashed(keys []span, width int) bool {
	rows := len(keys) / width
	mask := w.clearTable(rows)
	for i := range rows {
		row := keys[i*width : (i+1)*width]
		h := w.hash(row)
		at := h & mask
		for w.table[at].number != 0 {
			s := w.table[at]
			j := int(s.number - 1)
			if s.hash == uint32(h>>32) && w.sameRow(row, keys[j*width:(j+1)*width]) {
				return false
			}
			at = (at + 1) & mask
		}
		w.table[at] = slot{hash: uint32(h >> 32), number: uint32(i + 1)}
	}
	return true
}

// clearTable makes room for so many rows, and returns what to take of a hash.
func (w *walk) clearTable(rows int) (mask uint64) {
	size := 64
	for size < 2*rows {
		size *= 2
	}
	w.table = slices.Grow(w.table[:0], size)[:size]
	clear(w.table)
	return uint64(size - 1)
}

func (w *walk) hash(row []span) uint64 {
	var sum uint64
	for _, k := range row {
		sum = sum*0x9e3779b97f4a7c15 + maphash.Bytes(w.plan.seed, w.out[k.start:k.end])
	}
	return sum
}
