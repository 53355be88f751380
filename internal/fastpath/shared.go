package fastpath

import "strings"

// An update mostly changes little, so that most objects and lists have the same text
// in both objects. These are decoded once. Both objects are read in the order of their
// texts, so the next part of the old object is mostly the next one of the new object.

// shared are the objects and lists of the first object of an update, for the second.
type shared struct {
	turn   turn
	list   []sharedPart // each before those inside of it
	next   int          // index of the part that is likely to come next
	passed int          // index of the part in whose place another one was read last
}

// turn says which object of an update is read.
type turn uint8

const (
	noUpdate turn = iota
	firstOfUpdate
	secondOfUpdate
)

type sharedPart struct {
	text  string
	node  *readTree
	value any
	after int // index of the next part that is not inside
}

// mostTries is how many parts are compared with one part of the second object. More
// than one lets it find its way when the first object has more elements, and the part
// that was passed when it has fewer.
const mostTries = 3

// begin begins an object of an update.
func (p *shared) begin() { p.turn++ }

// clear forgets the objects, and keeps the memory.
func (p *shared) clear() {
	clear(p.list)
	*p = shared{list: p.list[:0]}
}

// find returns the value at s[i] and the index after it if the first object has the
// same text for the same rules. It never finds the whole object, which the caller
// changes.
func (p *shared) find(n *readTree, s string, i int) (any, int) {
	if p.turn != secondOfUpdate || p.next == 0 {
		return nil, refused
	}
	at := p.next
	for range mostTries {
		if at >= len(p.list) {
			break
		}
		if p.list[at].is(n, s[i:]) {
			return p.take(at, i)
		}
		at = p.list[at].after
	}
	if p.passed > 0 && p.list[p.passed].is(n, s[i:]) {
		return p.take(p.passed, i)
	}
	return nil, refused
}

// is reports whether a text for n begins with the part.
func (p *sharedPart) is(n *readTree, text string) bool {
	return p.node == n && strings.HasPrefix(text, p.text)
}

// take returns the value of a part for the text at s[i], and the index after it.
func (p *shared) take(at, i int) (any, int) {
	part := &p.list[at]
	p.next, p.passed = part.after, 0
	return part.value, i + len(part.text)
}

// open begins a part that has to be decoded, and returns its index.
func (p *shared) open(n *readTree) int {
	switch p.turn {
	case firstOfUpdate:
		p.list = append(p.list, sharedPart{node: n})
		return len(p.list) - 1
	case secondOfUpdate:
		p.next++
	}
	return p.next - 1
}

// close ends a part.
func (p *shared) close(at int, text string, value any) {
	switch p.turn {
	case firstOfUpdate:
		p.list[at] = sharedPart{text: text, node: p.list[at].node, value: value, after: len(p.list)}
	case secondOfUpdate:
		if at < len(p.list) {
			p.next, p.passed = p.list[at].after, at
		}
	}
}
