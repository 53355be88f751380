package pattern

import (
	"unicode/utf8"
	"unsafe"
)

// The states never and always end a search. Every other state is the index of its
// row in automaton.next.
const (
	never  = 0 // no continuation matches
	always = 1 // every continuation matches
	first  = 2 // the row of the first ordinary state
)

// An automaton is a complete deterministic automaton over all runes.
//
// A state is the index of its row in next instead of a row number, which saves a
// multiplication for each byte. The ordinary states that accept at the end of the
// text come last, so that one comparison finds them.
type automaton struct {
	ascii [utf8.RuneSelf]uint8 // class of each ASCII byte
	wide  []span               // classes of the other runes, ascending
	next  []uint16             // next[state+class] is the following state
	start uint16
	final uint32 // states at or above final accept at the end of the text
}

// A span gives the class of all runes from lo to the next span's lo.
type span struct {
	lo    rune
	class uint8
}

func (a *automaton) match(s string) bool {
	state := uint(a.start)
	if state <= always {
		return state == always
	}
	next := a.next
	for i := 0; i < len(s); {
		var class uint8
		if c := s[i]; c < utf8.RuneSelf {
			class = a.ascii[c]
			i++
		} else {
			r, n := utf8.DecodeRuneInString(s[i:])
			class = a.classOf(r)
			i += n
		}
		state = uint(next[state+uint(class)])
		if state <= always {
			return state == always
		}
	}
	return state >= uint(a.final)
}

// classOf returns the class of a rune that is not ASCII.
func (a *automaton) classOf(r rune) uint8 {
	lo, hi := 0, len(a.wide)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; a.wide[mid].lo <= r {
			lo = mid
		} else {
			hi = mid
		}
	}
	return a.wide[lo].class
}

func (a *automaton) size() int {
	return int(unsafe.Sizeof(*a)) + len(a.wide)*int(unsafe.Sizeof(span{})) + 2*len(a.next)
}
