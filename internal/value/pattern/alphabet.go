package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A class is a set of runes that no instruction distinguishes. newAlphabet collects the
// sets of runes that instructions accept, cuts all runes into pieces where a set begins or
// ends, and gives one class to the pieces in the same sets. [^a]+ has two classes, and so
// has \pL+, with 600 ranges.

// maxClasses is the number of classes that a uint8 can number.
const maxClasses = 256

// An alphabet holds the classes of one program.
type alphabet struct {
	ascii [utf8.RuneSelf]uint8
	wide  []span

	setOf  []int      // by instruction: the number of its set of runes, or -1
	within [][]uint64 // by class: bit n is set if the class lies in set n
}

// contains reports whether the class lies in the set.
func (a *alphabet) contains(class, set int) bool {
	return a.within[class][set/64]>>(set%64)&1 != 0
}

// newAlphabet returns the classes of prog, nil for more than maxClasses or too much work.
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

// collect fills setOf and returns the distinct sets, as ascending pairs of inclusive
// bounds.
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

// runes returns the runes that an instruction consumes. It is false if it consumes none.
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
	// A single rune is a literal, which the instruction may ask to fold.
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

// splitRanges returns the first rune of each piece, from 0. No piece has ASCII and other
// runes.
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

// classify numbers the classes and fills the tables. It is false for more than maxClasses.
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
