package fastpath

import (
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/leafcheck"
)

// guessedMember handles declared member n. s[i:] begins with the key in canonical form.
func (w *walk) guessedMember(o *objectWalk, n, i int) int {
	p := &o.node.members.list[n]
	at := i + len(p.text)
	if at < len(w.s) && w.s[at] > ' ' {
		if end := w.direct(o, p, n, i, at); end != 0 {
			return end
		}
	} else if at = jsonscan.Space(w.s, at); at >= len(w.s) {
		return refused
	}
	return w.member(o, memberKey{name: p.name, member: n}, i, at)
}

// maxEntries bounds walk.entries, which can take more memory than the text.
const maxEntries = 4096

func (w *walk) otherMember(o *objectWalk, i int) int {
	k, at := w.key(o, i)
	if at < 0 || at >= len(w.s) || len(w.entries) >= maxEntries {
		return refused
	}
	return w.member(o, k, i, at)
}

// direct handles member n at s[i], with its value at s[at]. The member must directly follow the
// last kept member. The value must be an object, a list, or a valid scalar that stays unchanged.
// Otherwise direct does nothing and returns 0. [walk.sort] finds repeated members.
func (w *walk) direct(o *objectWalk, p *member, n, i, at int) int {
	if o.last < 0 && len(w.entries) > o.base {
		return 0
	}
	if o.kept > 0 {
		i-- // the index of the comma
	}
	if w.pending.end != i {
		return 0
	}
	if c := w.s[at]; (c == '{' || c == '[') && p.nested {
		return w.nested(o, p, n, i, at)
	}
	end := p.directEnd(w.s, at)
	if end == 0 {
		return 0
	}
	start := w.position() + at - i
	w.pending.end = end
	w.markSeen(o, n)
	o.last = n
	o.kept++
	w.hasRules = w.hasRules || p.hasRules
	w.note(span{}, span{start, start + end - at}, n)
	return end
}

func (w *walk) nested(o *objectWalk, p *member, n, i, at int) int {
	w.markSeen(o, n)
	w.pending.end = at
	o.last = n
	o.kept++
	w.steps = append(w.steps, step{p.name, -1})
	start, end := w.position(), refused
	if w.s[at] == '{' {
		end = w.object(p.node, at, nil)
	} else {
		w.hasRules = w.hasRules || p.hasRules
		end = w.list(p.node, at)
	}
	if end >= 0 {
		w.steps = w.steps[:len(w.steps)-1]
		w.note(span{}, span{start, w.position()}, n)
	}
	return end
}

// directEnd returns the index after a valid scalar at s[at] that stays unchanged. It returns 0 for
// any other value.
func (p *member) directEnd(s string, at int) int {
	switch c := s[at]; {
	case c == '"' && p.direct&leafcheck.String != 0:
		end, text := jsonscan.String(s, at+1)
		if end < 0 || text&jsonscan.Respelled != 0 {
			return 0
		}
		if p.checked && (text != 0 || !p.node.check.ValidString(s[at+1:end])) {
			return 0
		}
		return end + 1
	case c-'1' < 9 && p.direct&leafcheck.Int != 0:
		if end, n := jsonscan.Number(s, at); end > 0 && !n.IsFloat {
			return end
		}
	case c == 't' && p.direct&leafcheck.Bool != 0:
		return max(jsonscan.Literal(s, at, "true"), 0)
	case c == 'f' && p.direct&leafcheck.Bool != 0:
		return max(jsonscan.Literal(s, at, "false"), 0)
	}
	return 0
}

const setSize = 64

// markSeen records that a declared member was read. It returns false if it was read before.
func (w *walk) markSeen(o *objectWalk, index int) bool {
	set, bit := &o.set, uint64(1)<<(index%setSize)
	if index >= setSize {
		set = &w.seen[o.seen+index/setSize-1]
	}
	if *set&bit != 0 {
		return false
	}
	*set |= bit
	return true
}

type memberKey struct {
	name   string
	text   jsonscan.Text // properties of the text of the key
	member int           // index of the declared member, or undeclared
}

func (k memberKey) span(i int) span { return span{i + 1, i + 1 + len(k.name)} }

// key reads the key at s[i] and returns the index of the value. The index is negative if the key
// cannot be read.
func (w *walk) key(o *objectWalk, i int) (memberKey, int) {
	name, text, at := jsonscan.Key(w.s, i)
	k := memberKey{name: name, text: text, member: undeclared}
	if len(o.node.members.list) == 0 {
		return k, at
	}
	if n, ok := o.node.members.at(name); ok {
		k.member, o.next = n, n+1
	}
	return k, at
}

// guess returns the index of the declared member at s[i], or undeclared. It tries only a few
// members from index next on. Members mostly come in the order of the schema, with few left out.
func (m *members) guess(s string, i, next int) int {
	const tries = 8
	if len(s)-i <= wordSize || s[i] != '"' {
		return undeclared
	}
	head := word(s, i+1)
	quotes := zeros(head ^ '"'*ones)
	head &= (quotes&-quotes)>>7 - 1 // if there is a quote, keep only the bytes before it
	for n := next; n < len(m.heads) && n < next+tries; n++ {
		if m.heads[n] == head && m.list[n].ends(s, i, quotes) {
			return n
		}
	}
	return undeclared
}

// ends reports whether s[i:] begins with the key of p. The caller has compared the first eight
// bytes of the name, or all bytes if it ends earlier. quotes is 0 if it does not end there.
func (p *member) ends(s string, i int, quotes uint64) bool {
	const first = 1 + wordSize
	n := len(p.text)
	switch {
	case len(s)-i < n:
		return false
	case quotes != 0:
		return s[i+n-1] == ':'
	case n < first:
		return false // the name is shorter than a word, and s has zero bytes after it
	}
	return word(s, i+n-wordSize) == p.tail && (n <= first+wordSize || s[i+first:i+n-wordSize] == p.text[first:n-wordSize])
}

const (
	wordSize = 8
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080

	// unmatched never equals head in guess, because head has no quote.
	unmatched = '"' * ones
)

// zeros sets the highest bit of each zero byte of x. Only the lowest bit that it sets is reliable.
func zeros(x uint64) uint64 { return (x - ones) &^ x & highs }

// headOf returns the first eight bytes of a name as a number, padded with zeros.
func headOf(name string) (head uint64) {
	for i := range min(len(name), wordSize) {
		head |= uint64(name[i]) << (8 * i)
	}
	return head
}

// word returns s[i:i+8] as a number. The compiler turns it into one load.
func word(s string, i int) uint64 {
	s = s[i : i+wordSize]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
