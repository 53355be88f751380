package generate

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A walk over the syntax tree of a pattern writes a text that matches it. It
// writes one branch of an alternation and one rune of a class, and repeats a
// repetition until the text has about the wanted length. Anchors and boundaries
// write nothing, so the text may not match a pattern that contains them. The
// caller checks that.

const maxRounds = 300

// patternText returns a text of low to high runes that may match the pattern.
func patternText(rng *rand.Rand, pattern string, low, high int, edge bool) string {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	want := low
	switch {
	case edge && high <= maxRounds && rng.IntN(2) == 0:
		want = high
	case !edge:
		want = low + rng.IntN(min(8, max(1, high-low+1)))
	}
	w := &patternWriter{rng: rng, want: want, limit: min(high, want+40)}
	w.write(tree)
	return w.text.String()
}

type patternWriter struct {
	rng   *rand.Rand
	text  strings.Builder
	want  int // the wanted length
	limit int // the length after which repetitions stop
	runes int
}

func (w *patternWriter) rune(c rune) {
	w.text.WriteRune(c)
	w.runes++
}

func (w *patternWriter) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		w.text.WriteString(string(re.Rune))
		w.runes += utf8.RuneCountInString(string(re.Rune))
	case syntax.OpCharClass:
		w.class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.rune([]rune("aZ09-._/ é")[w.rng.IntN(10)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[w.rng.IntN(len(re.Sub))])
	case syntax.OpStar:
		w.repeat(re.Sub[0], 0, -1)
	case syntax.OpPlus:
		w.repeat(re.Sub[0], 1, -1)
	case syntax.OpQuest:
		w.repeat(re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		w.repeat(re.Sub[0], re.Min, re.Max)
	}
}

func (w *patternWriter) repeat(sub *syntax.Regexp, low, high int) {
	if high < 0 {
		high = max(low+2, min(maxRounds, w.want))
	}
	for i := range high {
		optional := i >= low
		if optional && w.runes >= w.want && (w.runes >= w.limit || w.rng.IntN(3) > 0) {
			return
		}
		w.write(sub)
	}
}

// class writes one rune of a class, mostly a printable ASCII rune.
func (w *patternWriter) class(ranges []rune) {
	var printable []rune
	for i := 0; i < len(ranges); i += 2 {
		for c := max(ranges[i], ' '); c <= min(ranges[i+1], '~'); c++ {
			printable = append(printable, c)
		}
	}
	if len(printable) > 0 && w.rng.IntN(20) > 0 {
		w.rune(printable[w.rng.IntN(len(printable))])
		return
	}
	if len(ranges) > 0 {
		w.rune(ranges[2*w.rng.IntN(len(ranges)/2)])
	}
}
