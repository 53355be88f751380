package fastpath

import "github.com/crdkit/crdkit/internal/jsonscan"

// A memberKey is the key of a member.
type memberKey struct {
	name   string
	text   jsonscan.Text // what the text of the key contains
	member int           // index of the declared member, or undeclared
}

// span returns the span of the name in the input. The member begins with s[i].
func (k memberKey) span(i int) span { return span{i + 1, i + 1 + len(k.name)} }

// key reads the key of the member at s[i], and returns the index of the value. The
// index is negative if there is no key, or if it is written with an escape.
//
// Members mostly come in order and few are left out. So it first compares the input
// with the texts of a few declared members.
func (w *walk) key(o *objectWalk, i int) (memberKey, int) {
	const tries = 3
	m := o.node.members
	for n := o.next; n < len(m.list) && n < o.next+tries; n++ {
		p := &m.list[n]
		if !p.begins(w.s, i) {
			continue
		}
		o.next = n + 1
		at := i + len(p.text)
		if at < len(w.s) && w.s[at] <= ' ' {
			at = jsonscan.Space(w.s, at)
		}
		return memberKey{name: p.name, member: n}, at
	}
	name, text, at := jsonscan.Key(w.s, i)
	k := memberKey{name: name, text: text, member: undeclared}
	if n, ok := m.at(name); ok {
		k.member, o.next = n, n+1
	}
	return k, at
}

// begins reports whether s[i:] begins with the text of the member. It may report false
// near the end of s, and for a name that has to be escaped.
func (p *member) begins(s string, i int) bool {
	n := len(p.text)
	if len(s)-i < max(n, wordSize) {
		return false
	}
	head := word(s, i)
	if n <= wordSize {
		return head<<(8*(wordSize-n)) == p.head
	}
	return head == p.head && word(s, i+n-wordSize) == p.tail &&
		(n <= 2*wordSize || s[i+wordSize:i+n-wordSize] == p.text[wordSize:n-wordSize])
}

const wordSize = 8

// ends returns head and tail of the text of a member. In the head of a text with less
// than eight bytes, these are the upper ones.
func ends(text string) (head, tail uint64) {
	if n := len(text); n >= wordSize {
		return word(text, 0), word(text, n-wordSize)
	}
	for i := range len(text) {
		head |= uint64(text[i]) << (8 * (wordSize - len(text) + i))
	}
	return head, 0
}

// word returns s[i:i+8] as a number. The compiler makes one load of it.
func word(s string, i int) uint64 {
	s = s[i : i+wordSize]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
