package celsyntax

import "unicode/utf8"

// A Problem is an error of the parser.
type Problem struct {
	Offset int // of what is wrong, in code points
	Text   string
}

// A Located says where the nodes of an expression are in its text.
type Located struct {
	// Problems are the errors of the text. Those at one place are in the order of cel-go. An
	// expression with problems has no tree.
	Problems []Problem
	starts   []int
}

// maxProblems is the number of errors of the grammar above which cel-go has to parse the
// text, because it stops at some point.
const maxProblems = 10

// Locate parses a text for its errors and positions. It returns nil if cel-go has to
// parse the text, because our parser does not word the error.
func (s *Parser) Locate(text string) *Located {
	p := s.parse(text, true)
	if p == nil {
		return nil
	}
	offsets := offsetsOf(text)
	grammar := append(p.grammar, p.errs...)
	for i := range grammar {
		grammar[i].Text = "Syntax error: " + grammar[i].Text
	}
	if len(grammar) > maxProblems {
		return nil
	}
	p.problems = append(grammar, p.problems...)
	for i := range p.problems {
		p.problems[i].Offset = offsets.of(p.problems[i].Offset)
	}
	for i, at := range p.starts {
		p.starts[i] = offsets.of(at)
	}
	return &Located{Problems: p.problems, starts: p.starts}
}

// Offset returns where the node of a number starts, in code points. It is not ok for a
// node that is not in the text.
func (l *Located) Offset(id int64) (at int, ok bool) {
	if id < 1 || id > int64(len(l.starts)) || l.starts[id-1] < 0 {
		return 0, false
	}
	return l.starts[id-1], true
}

// An offsetTable has the code points before each byte of a text; nil if they are the
// bytes before it.
type offsetTable []int

func offsetsOf(text string) offsetTable {
	if utf8.RuneCountInString(text) == len(text) {
		return nil
	}
	table, runes := make(offsetTable, len(text)+1), 0
	for at := range text {
		table[at] = runes
		runes++
	}
	table[len(text)] = runes
	return table
}

func (t offsetTable) of(at int) int {
	if t == nil || at < 0 {
		return at
	}
	return t[at]
}
