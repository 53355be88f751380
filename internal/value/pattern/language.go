package pattern

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// A Language is a set of texts. A text has MinRunes to MaxRunes runes, and matches every pattern of
// Match and no pattern of Exclude.
type Language struct {
	Match, Exclude []*Pattern
	MinRunes       int
	MaxRunes       int // negative for no bound
}

// Shortest returns a shortest text of l, and whether l has a text. It prefers letters and digits.
// decided is false if a pattern has no automaton or the search needs more than limit transitions.
func (l Language) Shortest(limit int) (text string, found, decided bool) {
	if l.MaxRunes >= 0 && l.MinRunes > l.MaxRunes {
		return "", false, true
	}
	s := &search{Language: l, work: work(limit)}
	for _, p := range slices.Concat(l.Match, l.Exclude) {
		auto := p.matcher().auto
		if auto == nil {
			return "", false, false
		}
		s.autos = append(s.autos, auto)
	}
	s.runes = representatives(s.autos)
	return s.run()
}

// A search is a breadth-first search through the product of automata.
type search struct {
	Language
	autos []*automaton // of Match, then of Exclude
	runes []rune       // one rune of each class that an automaton distinguishes
	nodes []productState
	index map[string]bool // states found at this length, or at any length from MinRunes on
	key   []byte
	work  work
}

// A productState has the state of each automaton after a text.
type productState struct {
	states []uint16
	before int32 // number of the state before the last rune
	last   rune
}

// run visits states by the length of their texts, shortest first. It visits a state again if the
// last visit was at a length below MinRunes.
func (s *search) run() (text string, found, decided bool) {
	s.index = map[string]bool{}
	start := make([]uint16, len(s.autos))
	for i, a := range s.autos {
		start[i] = a.start
	}
	s.add(start, -1, 0)
	for length, from := 0, 0; from < len(s.nodes); length++ {
		to := len(s.nodes)
		if length >= s.MinRunes {
			for n := from; n < to; n++ {
				if s.accepts(s.nodes[n].states) {
					return s.text(int32(n)), true, true
				}
			}
		}
		if length == s.MaxRunes {
			break
		}
		if length < s.MinRunes {
			clear(s.index)
		}
		for n := from; n < to; n++ {
			if !s.expand(int32(n)) {
				return "", false, false
			}
		}
		from = to
	}
	return "", false, true
}

// expand adds the states that follow state n. It returns false if there is too much work.
func (s *search) expand(n int32) bool {
	for _, r := range s.runes {
		if !s.work.spend(len(s.autos) + 1) {
			return false
		}
		next := make([]uint16, len(s.autos))
		for i, a := range s.autos {
			next[i] = a.step(s.nodes[n].states[i], r)
		}
		s.add(next, n, r)
	}
	return true
}

// add adds states if they are new, unless one automaton excludes all texts from there on.
func (s *search) add(states []uint16, before int32, last rune) {
	s.key = s.key[:0]
	for i, state := range states {
		if i < len(s.Match) && state == never || i >= len(s.Match) && state == always {
			return
		}
		s.key = binary.LittleEndian.AppendUint16(s.key, state)
	}
	if !s.index[string(s.key)] {
		s.index[string(s.key)] = true
		s.nodes = append(s.nodes, productState{states, before, last})
	}
}

func (s *search) accepts(states []uint16) bool {
	for i, a := range s.autos {
		if a.accepts(states[i]) != (i < len(s.Match)) {
			return false
		}
	}
	return true
}

func (s *search) text(n int32) string {
	var runes []rune
	for ; s.nodes[n].before >= 0; n = s.nodes[n].before {
		runes = append(runes, s.nodes[n].last)
	}
	slices.Reverse(runes)
	return string(runes)
}

// accepts reports whether a text that leads to the state matches.
func (a *automaton) accepts(state uint16) bool {
	return state == always || state != never && uint32(state) >= a.final
}

func (a *automaton) step(state uint16, r rune) uint16 {
	if state <= always {
		return state
	}
	if r < utf8.RuneSelf {
		return a.next[uint(state)+uint(a.ascii[r])]
	}
	return a.next[uint(state)+uint(a.classOf(r))]
}

// representatives returns one rune of each set of runes that all automata treat alike. It prefers
// letters and digits, then printable ASCII.
func representatives(autos []*automaton) []rune {
	candidates := []rune("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	for r := ' '; r <= '~'; r++ {
		candidates = append(candidates, r)
	}
	for r := range rune(utf8.RuneSelf) {
		candidates = append(candidates, r)
	}
	var wide []rune
	for _, a := range autos {
		for _, s := range a.wide {
			wide = append(wide, s.lo)
		}
	}
	slices.Sort(wide)
	candidates = append(candidates, 'é')
	for _, r := range slices.Compact(wide) {
		if !utf8.ValidRune(r) {
			r = 0xE000 // skip the surrogates, which a text cannot contain
		}
		candidates = append(candidates, r)
	}
	return distinct(autos, candidates)
}

// distinct returns the first candidate of each class.
func distinct(autos []*automaton, candidates []rune) []rune {
	seen := map[string]bool{}
	var out []rune
	var key []byte
	for _, r := range candidates {
		key = key[:0]
		for _, a := range autos {
			if r < utf8.RuneSelf {
				key = append(key, a.ascii[r])
			} else {
				key = append(key, a.classOf(r))
			}
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, r)
		}
	}
	return out
}
