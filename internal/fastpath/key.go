package fastpath

import "github.com/crdkit/crdkit/internal/text/jsonscan"

// A memberKey is the key of a member.
type memberKey struct {
	name   string
	text   jsonscan.Text // what the text of the key contains
	member int           // index of the declared member, or undeclared
}

// span returns the span of the name in the input. The member begins with s[i].
func (k memberKey) span(i int) span { return span{i + 1, i + 1 + len(k.name)} }

// key reads the key at s[i] and returns the index of the value, negative for no plain key.
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

// near returns the member at s[i] if it is one of those that are likely to come next, else
// undeclared. Members mostly come in order and few are left out.
func (m *members) near(s string, i, next int) int {
	const tries = 8
	if len(s)-i <= wordSize || s[i] != '"' {
		return undeclared
	}
	head := word(s, i+1)
	quotes := zeros(head ^ '"'*ones)
	head &= (quotes&-quotes)>>7 - 1 // of the bytes before the quote, all without one
	for n := next; n < len(m.heads) && n < next+tries; n++ {
		if m.heads[n] == head && m.list[n].ends(s, i, quotes) {
			return n
		}
	}
	return undeclared
}

// ends reports whether s[i:] begins with the member. The head is right, quotes marks
// quotes.
func (p *member) ends(s string, i int, quotes uint64) bool {
	const first = 1 + wordSize
	n := len(p.text)
	switch {
	case len(s)-i < n:
		return false
	case quotes != 0:
		return s[i+n-1] == ':'
	case n < first:
		return false // s has bytes that are 0
	}
	return word(s, i+n-wordSize) == p.tail && (n <= first+wordSize || s[i+first:i+n-wordSize] == p.text[first:n-wordSize])
}

const (
	wordSize = 8
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080

	// unmatched has a quote, which no head has.
	unmatched = '"' * ones
)

// zeros marks the zero bytes of x by their highest bits. Only the lowest mark is certain.
func zeros(x uint64) uint64 { return (x - ones) &^ x & highs }

// headOf returns the first eight bytes of a name, and zeros after a shorter one.
func headOf(name string) (head uint64) {
	for i := range min(len(name), wordSize) {
		head |= uint64(name[i]) << (8 * i)
	}
	return head
}

// word returns s[i:i+8] as a number. The compiler makes one load of it.
func word(s string, i int) uint64 {
	s = s[i : i+wordSize]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
