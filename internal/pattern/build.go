package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
)

// Building an automaton is the subset construction over the program of
// regexp/syntax, with two twists.
//
// The search is unanchored: a match may begin at every position. So the
// program's entry is an implicit member of every state and is not stored.
//
// ^, $, \b and \B depend on both neighbours of a position, but when a state is
// entered only the left one is known. So a state keeps such instructions
// unresolved, together with the kind of the rune to the left, and they are
// resolved once for each kind of rune to the right: word, newline, other, end.
//
// A state in which the program has matched needs no detail: its verdict is
// fixed. Nor has a state from which no match can be reached. Both are found
// after all states are known, by walking the transitions backwards, and fold
// into the states always and never.

// matched stands for a state in which the program has matched.
const matched = -1

// work counts down what building may cost.
type work int

// spend takes n from what is left and reports whether it was there.
func (w *work) spend(n int) bool {
	*w -= work(n)
	return *w >= 0
}

// A subset is one state under construction.
type subset struct {
	left kind     // of the rune before this position
	pcs  []uint32 // ascending; consuming and unresolved instructions
}

type builder struct {
	prog *syntax.Prog
	abc  *alphabet
	ops  syntax.EmptyOp // all zero-width operators of the program
	work work

	maxStates int
	entry     []uint32 // the implicit members of every state, ascending
	states    []subset
	index     map[string]int
	edges     []int32 // edges[state*classes+class] is a state or matched
	accepts   []bool  // by state: whether the text may end here

	// The set that expand fills. An instruction is in it if its mark is now.
	mark []uint32
	now  uint32

	// Buffers: of expand, step, advance and, for the last two, state.
	stack, open, next, spare []uint32
	key                      []byte
}

// build returns nil if the automaton would exceed a bound.
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
	if b.abc = newAlphabet(prog, b.ops, &b.work); b.abc == nil {
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

// explore finds all states and edges. It returns the start state.
func (b *builder) explore() (start int32, ok bool) {
	b.begin()
	entry, hit := b.expand(nil, uint32(b.prog.Start), 0)
	if hit {
		return matched, true // the program matches the empty string anywhere
	}
	slices.Sort(entry)
	b.entry = entry
	left := edge
	if b.ops&headOps == 0 {
		left = other
	}
	start = b.state(left, nil)
	for s := 0; s < len(b.states); s++ {
		if len(b.states) > b.maxStates || !b.step(s) {
			return 0, false
		}
	}
	return start, true
}

// step adds the edges of a state and reports whether the work was within
// bounds.
func (b *builder) step(s int) bool {
	classes := len(b.abc.within)
	at := len(b.edges)
	b.edges = append(b.edges, make([]int32, classes)...)
	for right := range kinds {
		if right != edge && !slices.Contains(b.abc.kindOf, right) {
			continue
		}
		from := b.states[s]
		ctx := syntax.EmptyOpContext(from.left.sample(), right.sample())
		open, hit := b.resolve(b.open[:0], from.pcs, ctx)
		b.open = open
		if right == edge {
			b.accepts = append(b.accepts, hit)
			continue
		}
		for class, k := range b.abc.kindOf {
			switch {
			case k != right:
			case hit:
				b.edges[at+class] = matched
			default:
				b.edges[at+class] = b.advance(open, class)
			}
		}
	}
	return b.work >= 0
}

// resolve appends to open the instructions that a state can continue with where
// the operators in ctx hold, and reports whether it matches there.
func (b *builder) resolve(open, pcs []uint32, ctx syntax.EmptyOp) (_ []uint32, hit bool) {
	b.begin()
	for _, list := range [...][]uint32{pcs, b.entry} {
		for _, pc := range list {
			var h bool
			open, h = b.expand(open, pc, ctx)
			hit = hit || h
		}
	}
	return open, hit
}

// advance returns the state after a rune of the class is consumed by one of
// the given instructions.
func (b *builder) advance(open []uint32, class int) int32 {
	b.begin()
	next, hit := b.next[:0], false
	for _, pc := range open {
		if set := b.abc.setOf[pc]; set >= 0 && b.abc.contains(class, set) {
			var h bool
			next, h = b.expand(next, b.prog.Inst[pc].Out, 0)
			hit = hit || h
		}
	}
	b.next = next
	b.work -= work(len(open))
	if hit {
		return matched
	}
	return b.state(b.abc.kindOf[class], next)
}

// state returns the number of the state with the given members, adding it if
// it is new. It sorts pcs but does not keep it.
func (b *builder) state(left kind, pcs []uint32) int32 {
	slices.Sort(pcs)
	pcs = slices.DeleteFunc(pcs, func(pc uint32) bool {
		_, implied := slices.BinarySearch(b.entry, pc)
		return implied
	})
	// If the left neighbour alone completes a match there is no need to look
	// at the right one.
	if held := syntax.EmptyOpContext(left.sample(), ' ') & headOps & b.ops; held != 0 {
		var hit bool
		if b.spare, hit = b.resolve(b.spare[:0], pcs, held); hit {
			return matched
		}
	}
	b.key = append(b.key[:0], byte(left))
	for _, pc := range pcs {
		b.key = binary.LittleEndian.AppendUint16(b.key, uint16(pc))
	}
	n, known := b.index[string(b.key)]
	if !known {
		n = len(b.states)
		b.index[string(b.key)] = n
		b.states = append(b.states, subset{left, slices.Clone(pcs)})
	}
	return int32(n)
}

// begin empties the set that expand fills.
func (b *builder) begin() { b.now++ }

// expand appends to pcs all instructions reachable from pc without consuming
// a rune, given the zero-width operators that hold. It appends only those that
// consume, or that wait for an operator to hold, and only those which are not
// yet in the current set. It reports whether it met the program's match.
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
			if syntax.EmptyOp(in.Arg)&^ctx == 0 {
				b.stack = append(b.stack, in.Out)
			} else {
				pcs = append(pcs, pc)
			}
		default:
			pcs = append(pcs, pc)
		}
	}
	return pcs, hit
}
