package search

import "encoding/binary"

// Bounds of what a solver keeps. It forgets all values when there are more results or
// conditions.
const (
	maxRemembered  = 1 << 14 // results
	maxKnown       = 1 << 16 // conditions
	maxConjunction = 64      // conditions of a conjunction whose result is kept
)

// A memory keeps the results of searches, because a search splits one disjunction
// after another, and most parts of the value stay as they were. Results that depend
// on what a limit left are not kept.
type memory struct {
	conds     map[*Cond]uint32  // a number for each condition
	values    map[string]Result // by the conditions of a conjunction, in their order
	forgotten uint32            // how often all values were forgotten
	limited   int               // how often a limit ended a search
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
		n, ok := m.conds[c]
		if !ok {
			n = uint32(len(m.conds))
			m.conds[c] = n
		}
		text = binary.LittleEndian.AppendUint32(text, n)
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
