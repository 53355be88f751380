package pattern

import "slices"

// finish returns the automaton of the explored states.
func (b *builder) finish(start int32) *automaton {
	classes := len(b.abc.within)
	a := &automaton{ascii: b.abc.ascii, wide: slices.Clip(b.abc.wide)}
	rows := b.assignRows(a)
	row := func(state int32) uint16 {
		if state == matched {
			return always
		}
		return rows[state]
	}
	for s, at := range rows {
		if at < first {
			continue
		}
		for class, to := range b.edges[s*classes : (s+1)*classes] {
			a.next[int(at)+class] = row(to)
		}
	}
	a.start = row(start)
	return a
}

// assignRows returns the row of each state. It allots rows to the states whose
// verdict depends on the rest of the text; those that accept at the end of the
// text come last. The other states become never or always. It sets a.final and
// allocates a.next.
func (b *builder) assignRows(a *automaton) []uint16 {
	sources, ends := b.reverse()
	canAccept := b.reaching(true, sources, ends)
	canReject := b.reaching(false, sources, ends)
	rows := make([]uint16, len(b.states))
	at := first
	for _, final := range []bool{false, true} {
		if final {
			a.final = uint32(at)
		}
		for s := range b.states {
			switch {
			case !canAccept[s]:
				rows[s] = never
			case !canReject[s]:
				rows[s] = always
			case b.accepts[s] == final:
				rows[s] = uint16(at)
				at += len(b.abc.within)
			}
		}
	}
	a.next = make([]uint16, at)
	return rows
}

// reverse returns the source states of all edges, ordered by target. The sources
// of the edges into state n are sources[ends[n]:ends[n+1]]. Edges to matched are
// left out.
func (b *builder) reverse() (sources []int32, ends []int) {
	classes := len(b.abc.within)
	ends = make([]int, len(b.states)+2)
	for _, to := range b.edges {
		if to != matched {
			ends[to+2]++
		}
	}
	for i := 2; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	sources = make([]int32, ends[len(ends)-1])
	for i, to := range b.edges {
		if to != matched {
			sources[ends[to+1]] = int32(i / classes)
			ends[to+1]++
		}
	}
	return sources, ends
}

// reaching returns for each state whether some continuation of the text leads to
// the given verdict. sources and ends are the result of reverse.
func (b *builder) reaching(verdict bool, sources []int32, ends []int) []bool {
	classes := len(b.abc.within)
	reached := make([]bool, len(b.states))
	queue := make([]int32, 0, len(b.states))
	visit := func(s int32) {
		if !reached[s] {
			reached[s] = true
			queue = append(queue, s)
		}
	}
	for s, accepts := range b.accepts {
		edges := b.edges[s*classes : (s+1)*classes]
		if accepts == verdict || verdict && slices.Contains(edges, matched) {
			visit(int32(s))
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, s := range sources[ends[queue[i]]:ends[queue[i]+1]] {
			visit(s)
		}
	}
	return reached
}
