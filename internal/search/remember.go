package search

import (
	"encoding/binary"

	"github.com/crdkit/crdkit/internal/pattern"
)

// Bounds of what a solver keeps. It forgets all values when there are more results or
// conditions.
const (
	maxRemembered  = 1 << 14 // results
	maxKnown       = 1 << 16 // conditions
	maxConjunction = 64      // conditions of a conjunction, or patterns of a language, whose result is kept
)

// A memory keeps the results of searches, because a search splits one disjunction
// after another, and most parts of the value stay as they were. Results that depend
// on what a limit left are not kept.
type memory struct {
	conds     map[*Cond]uint32
	patterns  map[*pattern.Pattern]uint32
	values    map[string]Result // by the conditions of a conjunction, in their order
	languages map[string]shortest
	forgotten uint32 // how often all values were forgotten
	limited   int    // how often a limit ended a search
}

// A shortest is the result of a search for a text.
type shortest struct {
	text           string
	found, decided bool
}

func newMemory() memory {
	return memory{
		conds: map[*Cond]uint32{}, patterns: map[*pattern.Pattern]uint32{},
		values: map[string]Result{}, languages: map[string]shortest{},
	}
}

// numberOf returns the number of a key, which is new if the key is.
func numberOf[K comparable](known map[K]uint32, key K) uint32 {
	n, ok := known[key]
	if !ok {
		n = uint32(len(known))
		known[key] = n
	}
	return n
}

// known returns the result of a conjunction if it is known, else a key for
// keepValue. The key of a long conjunction is "": that of each element of a long list
// has conditions of its own.
func (m *memory) known(list []*Cond) (r Result, key string, ok bool) {
	if len(list) > maxConjunction {
		return Result{}, "", false
	}
	if len(m.values) >= maxRemembered || len(m.conds) >= maxKnown {
		clear(m.values)
		clear(m.conds)
		m.forgotten++ // searches that have not ended have keys with the old numbers
	}
	text := binary.LittleEndian.AppendUint32(make([]byte, 0, 128), m.forgotten)
	for _, c := range list {
		text = binary.LittleEndian.AppendUint32(text, numberOf(m.conds, c))
	}
	r, ok = m.values[string(text)]
	if !ok {
		key = string(text)
	}
	return r, key, ok
}

// keepValue keeps the result of a search that no limit ended.
func (m *memory) keepValue(key string, r Result) {
	if key != "" {
		m.values[key] = r
	}
}

// languageKey returns the key of a language.
func (m *memory) languageKey(l *pattern.Language) string {
	key := make([]byte, 0, 128)
	for _, n := range []int{l.MinRunes, l.MaxRunes, len(l.Match)} {
		key = binary.AppendVarint(key, int64(n))
	}
	for _, list := range [][]*pattern.Pattern{l.Match, l.Exclude} {
		for _, p := range list {
			key = binary.LittleEndian.AppendUint32(key, numberOf(m.patterns, p))
		}
	}
	return string(key)
}

// shortestOf returns the shortest text of a language, which it searches once.
func (s *Solver) shortestOf(l pattern.Language) shortest {
	key := s.memory.languageKey(&l)
	if known, ok := s.memory.languages[key]; ok {
		return known
	}
	var out shortest
	budget := min(s.work, maxTransitions)
	out.text, out.found, out.decided = l.Shortest(budget)
	if !out.decided && budget < maxTransitions {
		s.memory.limited++
		return out
	}
	if len(s.memory.languages) >= maxRemembered {
		clear(s.memory.languages)
	}
	if len(l.Match)+len(l.Exclude) <= maxConjunction {
		s.memory.languages[key] = out
	}
	return out
}
