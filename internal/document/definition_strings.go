package document

import (
	"hash/maphash"
	"strings"
)

// sharedStrings holds one copy of each string of a definition. Unlike a map it hashes each
// string once, although half of the strings are new and it grows with them.
type sharedStrings struct {
	seed  maphash.Seed
	slots []sharedString // their number is a power of two, and at most three of four are in use
	used  int
}

// A sharedString is a string and its hash. The string is empty if the slot is free.
type sharedString struct {
	hash uint64
	text string
}

// newSharedStrings returns an empty set with memory for the strings of a number of tokens.
func newSharedStrings(tokens int) sharedStrings {
	size := 64
	for size < tokens/4 {
		size *= 2
	}
	return sharedStrings{seed: maphash.MakeSeed(), slots: make([]sharedString, size)}
}

// copyOf returns the copy of a text.
func (s *sharedStrings) copyOf(text string) string {
	if text == "" {
		return ""
	}
	hash := maphash.String(s.seed, text)
	slot := s.find(hash, text)
	if slot.text != "" {
		return slot.text
	}
	*slot = sharedString{hash: hash, text: strings.Clone(text)}
	shared := slot.text
	if s.used++; s.used > len(s.slots)/4*3 {
		s.grow()
	}
	return shared
}

// find returns the slot of a text, or the free slot for it.
func (s *sharedStrings) find(hash uint64, text string) *sharedString {
	last := uint64(len(s.slots) - 1)
	for i := hash & last; ; i = (i + 1) & last {
		if slot := &s.slots[i]; slot.text == "" || slot.hash == hash && slot.text == text {
			return slot
		}
	}
}

func (s *sharedStrings) grow() {
	old := s.slots
	s.slots = make([]sharedString, 2*len(old))
	for _, o := range old {
		if o.text != "" {
			*s.find(o.hash, o.text) = o
		}
	}
}
