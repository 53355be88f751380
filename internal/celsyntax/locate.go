package celsyntax

import (
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
)

// A Problem is an error of the parser.
type Problem struct {
	Offset int // of what is wrong, in code points
	Text   string
}

// A Located is a tree and where its nodes are in the text.
type Located struct {
	Tree *ast.AST // nil for a text with problems
	// Problems are the errors of the text. Those at one place are in the order of cel-go.
	Problems []Problem
	starts   []int // in bytes; -1 for none
	offsets  offsetTable
}

// maxProblems is the number of errors of the grammar above which cel-go has to parse the
// text, because it stops at some point.
const maxProblems = 10

// Locate parses a text for its tree, its errors and positions. It returns nil if cel-go has
// to parse the text, because our parser does not word the error.
func (s *Parser) Locate(text string) *Located {
	p := s.parse(text, true)
	if p == nil {
		return nil
	}
	grammar := append(p.grammar, p.errs...)
	if len(grammar) > maxProblems {
		return nil
	}
	for i := range grammar {
		grammar[i].Text = "Syntax error: " + grammar[i].Text
	}
	l := &Located{Problems: append(grammar, p.problems...), starts: p.starts, offsets: offsetsOf(text)}
	for i := range l.Problems {
		l.Problems[i].Offset = l.offsets.of(l.Problems[i].Offset)
	}
	if len(l.Problems) == 0 {
		l.Tree = ast.NewAST(p.root, ast.NewSourceInfo(nil))
	}
	return l
}

// Nodes returns the number of nodes of the tree.
func (l *Located) Nodes() int { return len(l.starts) }

// Offset returns where the node of a number starts, in code points. It is not ok for a
// node that is not in the text.
func (l *Located) Offset(id int64) (at int, ok bool) {
	if id < 1 || id > int64(len(l.starts)) || l.starts[id-1] < 0 {
		return 0, false
	}
	return l.offsets.of(l.starts[id-1]), true
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
