package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// The builder performs the subset construction over the program of regexp/syntax, with two changes.
//
// A match may begin at every position, so every state includes the entry of the program.
//
// $ depends on what follows. So a state keeps the instructions for $, and follows them if the text
// ends there. ^ is true only before the first character, so only the first state follows it.
//
// finish replaces a state by the state "always" if every continuation matches, and by "never" if
// none matches. It finds these states by walking the transitions backwards.

// The bounds of one automaton. Nearly all published expressions stay below a tenth of the bounds.
// For hostile expressions package regexp is fast enough.
const (
	defaultMaxStates = 512
	defaultMaxBytes  = 64 << 10

	// maxInsts bounds the instructions of the program. Their numbers fit a uint16.
	maxInsts = 1 << 13

	// maxSteps bounds the steps of building. A step visits an instruction or fills a class entry.
	maxSteps = 1 << 20

	// maxEntries is the number of table entries that a uint16 can address.
	maxEntries = 1 << 16
)

// matched is the state after the program has matched.
const matched = -1

// work is the number of steps that are left for building.
type work int

func (w *work) spend(n int) bool {
	*w -= work(n)
	return *w >= 0
}

type subset struct {
	start bool     // the state is before the first rune; false if the program has no ^
	pcs   []uint32 // instructions that consume a rune or need the end of the text, ascending
}

type builder struct {
	prog *syntax.Prog
	abc  *alphabet
	ops  syntax.EmptyOp // zero-width operators in the program
	work work

	maxStates int
	entry     []uint32 // instructions in every state, ascending
	states    []subset
	index     map[string]int
	edges     []int32 // edges[state*classes+class] is a state or matched
	accepts   []bool  // by state: whether a text that ends there matches

	// mark[i] == now if expand has reached instruction i since the last call of begin.
	mark []uint32
	now  uint32

	// Buffers: stack for expand, open for step, next for advance, key for state.
	stack, open, next []uint32
	key               []byte
}

// build returns the automaton of prog, nil if it would exceed a bound.
func build(prog *syntax.Prog, cfg config) *automaton {
	if len(prog.Inst) > maxInsts {
		return nil
	}
	b := &builder{
		prog: prog, work: maxSteps, maxStates: cfg.maxStates,
		index: make(map[string]int), mark: make([]uint32, len(prog.Inst)),
	}
	for i := range prog.Inst {
		if in := &prog.Inst[i]; in.Op == syntax.InstEmptyWidth {
			b.ops |= syntax.EmptyOp(in.Arg)
		}
	}
	if b.ops&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
		return nil
	}
	if b.abc = newAlphabet(prog, &b.work); b.abc == nil {
		return nil
	}
	if limit := (min(cfg.maxBytes/2, maxEntries) - first) / len(b.abc.within); limit < b.maxStates {
		b.maxStates = limit
	}
	start, ok := b.explore()
	if !ok {
		return nil
	}
	a := b.finish(start)
	if a.size() > cfg.maxBytes {
		return nil
	}
	return a
}

// explore finds all states and edges, and returns the first state. It returns false if a bound is
// exceeded.
func (b *builder) explore() (start int32, ok bool) {
	b.begin()
	entry, hit := b.expand(nil, uint32(b.prog.Start), 0)
	if hit {
		return matched, true // the program matches the empty string anywhere
	}
	slices.Sort(entry)
	b.entry = entry
	b.begin()
	begins, hit := b.expand(nil, uint32(b.prog.Start), syntax.EmptyBeginText)
	if hit {
		return matched, true
	}
	start = b.state(b.ops&syntax.EmptyBeginText != 0, begins)
	for s := 0; s < len(b.states); s++ {
		if len(b.states) > b.maxStates || !b.step(s) {
			return 0, false
		}
	}
	return start, true
}

// step adds the edges of state s. It returns false if there is too much work.
func (b *builder) step(s int) bool {
	from := b.states[s]
	b.open = append(append(b.open[:0], from.pcs...), b.entry...)
	for class := range b.abc.within {
		b.edges = append(b.edges, b.advance(class))
	}
	ctx := syntax.EmptyOp(syntax.EmptyEndText)
	if from.start {
		ctx |= syntax.EmptyBeginText
	}
	b.begin()
	accepts := false
	for _, pc := range b.open {
		_, hit := b.expand(b.next[:0], pc, ctx)
		accepts = accepts || hit
	}
	b.accepts = append(b.accepts, accepts)
	return b.work >= 0
}

// advance returns the state after the instructions in b.open have consumed a rune of the class.
func (b *builder) advance(class int) int32 {
	b.begin()
	next, hit := b.next[:0], false
	for _, pc := range b.open {
		if set := b.abc.setOf[pc]; set >= 0 && b.abc.contains(class, set) {
			var h bool
			next, h = b.expand(next, b.prog.Inst[pc].Out, 0)
			hit = hit || h
		}
	}
	b.next = next
	b.work -= work(len(b.open))
	if hit {
		return matched
	}
	return b.state(false, next)
}

// state returns the number of the state with the instructions pcs. It adds the state if it is new.
// It changes pcs and does not keep it.
func (b *builder) state(start bool, pcs []uint32) int32 {
	slices.Sort(pcs)
	pcs = slices.DeleteFunc(pcs, func(pc uint32) bool {
		_, implied := slices.BinarySearch(b.entry, pc)
		return implied
	})
	b.key = b.key[:0]
	for _, pc := range pcs {
		b.key = binary.LittleEndian.AppendUint16(b.key, uint16(pc))
	}
	if start {
		b.key = append(b.key, 0) // no other key has an odd length
	}
	n, known := b.index[string(b.key)]
	if !known {
		n = len(b.states)
		b.index[string(b.key)] = n
		b.states = append(b.states, subset{start, slices.Clone(pcs)})
	}
	return int32(n)
}

// begin makes expand forget which instructions were reached.
func (b *builder) begin() { b.now++ }

// expand follows the program from pc to all instructions that consume a rune or need the end of the
// text, and appends them to pcs. It follows ^ and $ if ctx has them. It skips instructions that it
// has reached since the last call of begin. It reports whether the program reaches the match.
func (b *builder) expand(pcs []uint32, pc uint32, ctx syntax.EmptyOp) ([]uint32, bool) {
	hit := false
	b.stack = append(b.stack[:0], pc)
	for len(b.stack) > 0 {
		pc := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		b.work--
		if b.mark[pc] == b.now {
			continue
		}
		b.mark[pc] = b.now
		switch in := &b.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			hit = true
		case syntax.InstFail:
		case syntax.InstAlt, syntax.InstAltMatch:
			b.stack = append(b.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			b.stack = append(b.stack, in.Out)
		case syntax.InstEmptyWidth:
			switch missing := syntax.EmptyOp(in.Arg) &^ ctx; missing {
			case 0:
				b.stack = append(b.stack, in.Out)
			case syntax.EmptyEndText:
				pcs = append(pcs, pc)
			}
		default:
			pcs = append(pcs, pc)
		}
	}
	return pcs, hit
}

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

// assignRows returns the row of each state and allocates a.next. A state has a row if the verdict
// depends on the rest of the text. Other states become never or always. States that accept at the
// end of the text have the rows from a.final on.
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

// reverse returns the sources of all edges, grouped by target. The sources of edges into state n
// are sources[ends[n]:ends[n+1]]. Edges to matched are left out.
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

// reaching reports for each state whether some continuation leads to the verdict. sources and ends
// are the results of reverse.
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

// A class is a set of runes that all instructions treat alike. newAlphabet collects the sets of
// runes that instructions accept. It cuts the range of all runes into pieces where a set begins or
// ends. Pieces that lie in the same sets are one class.

// maxClasses is the number of classes that a uint8 can count.
const maxClasses = 256

// An alphabet holds the classes of runes of one pattern.
type alphabet struct {
	ascii [utf8.RuneSelf]uint8
	wide  []span

	setOf  []int      // by instruction: number of its set of runes, or -1
	within [][]uint64 // by class: bit n is set if the class lies in set n
}

func (a *alphabet) contains(class, set int) bool {
	return a.within[class][set/64]>>(set%64)&1 != 0
}

// newAlphabet returns the classes of prog. It returns nil if there are more than maxClasses classes
// or too much work.
func newAlphabet(prog *syntax.Prog, w *work) *alphabet {
	a := &alphabet{setOf: make([]int, len(prog.Inst))}
	sets := a.collect(prog)
	pieces := splitRanges(sets)
	rowLen := (len(sets) + 63) / 64
	if !w.spend(len(pieces) * (len(sets) + rowLen)) {
		return nil
	}
	rows := make([]uint64, len(pieces)*rowLen)
	for n, set := range sets {
		for i := 0; i < len(set); i += 2 {
			at, _ := slices.BinarySearch(pieces, set[i])
			for ; at < len(pieces) && pieces[at] <= set[i+1]; at++ {
				rows[at*rowLen+n/64] |= 1 << (n % 64)
			}
		}
	}
	if !a.classify(pieces, rows, rowLen) {
		return nil
	}
	return a
}

// collect fills setOf and returns the distinct sets. A set is a list of ascending pairs of
// inclusive bounds.
func (a *alphabet) collect(prog *syntax.Prog) [][]rune {
	var sets [][]rune
	seen := make(map[string]int)
	var key []byte
	for pc := range prog.Inst {
		a.setOf[pc] = -1
		set, ok := runes(&prog.Inst[pc])
		if !ok {
			continue
		}
		key = key[:0]
		for _, r := range set {
			key = binary.LittleEndian.AppendUint32(key, uint32(r))
		}
		n, known := seen[string(key)]
		if !known {
			n = len(sets)
			seen[string(key)] = n
			sets = append(sets, set)
		}
		a.setOf[pc] = n
	}
	return sets
}

// runes returns the runes that an instruction consumes. It returns false if there are none.
func runes(in *syntax.Inst) ([]rune, bool) {
	switch in.Op {
	case syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}, true
	case syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}, true
	case syntax.InstRune, syntax.InstRune1:
	default:
		return nil, false
	}
	if len(in.Rune) != 1 {
		return in.Rune, true
	}
	// A single rune is a literal. The instruction may ignore its case.
	all := []rune{in.Rune[0]}
	if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
		for r := unicode.SimpleFold(all[0]); r != all[0]; r = unicode.SimpleFold(r) {
			all = append(all, r)
		}
	}
	slices.Sort(all)
	pairs := make([]rune, 0, 2*len(all))
	for _, r := range all {
		pairs = append(pairs, r, r)
	}
	return pairs, true
}

// splitRanges cuts the runes where a set begins or ends, and after ASCII. It returns the first rune
// of each piece.
func splitRanges(sets [][]rune) []rune {
	cuts := []rune{0, utf8.RuneSelf}
	for _, set := range sets {
		for i := 0; i < len(set); i += 2 {
			cuts = append(cuts, set[i], set[i+1]+1)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	if n := len(cuts); cuts[n-1] > unicode.MaxRune {
		cuts = cuts[:n-1]
	}
	return cuts
}

// classify numbers the classes and fills the tables. It returns false if there are more than
// maxClasses.
func (a *alphabet) classify(pieces []rune, rows []uint64, rowLen int) bool {
	seen := make(map[string]uint8)
	var key []byte
	for i, lo := range pieces {
		row := rows[i*rowLen : (i+1)*rowLen]
		key = key[:0]
		for _, bits := range row {
			key = binary.LittleEndian.AppendUint64(key, bits)
		}
		class, known := seen[string(key)]
		if !known {
			if len(seen) == maxClasses {
				return false
			}
			class = uint8(len(seen))
			seen[string(key)] = class
			a.within = append(a.within, row)
		}
		if lo < utf8.RuneSelf {
			for r := lo; r < pieces[i+1]; r++ {
				a.ascii[r] = class
			}
		} else if n := len(a.wide); n == 0 || a.wide[n-1].class != class {
			a.wide = append(a.wide, span{lo, class})
		}
	}
	return true
}
