// Package celsyntax parses the text of rules to trees of cel-go.
//
// The parser of cel-go takes several times longer than all other steps of
// compiling a rule together. [Parser] reads the whole language. It returns the tree that
// cel-go returns, with the same number for each node, and expands macros with the
// functions of cel-go.
//
//	p := celsyntax.New(parser.AllMacros)
//	located := p.Locate("self.min <= self.max")
//	switch {
//	case located == nil:
//		return parseWithCELGo() // an error that the parser does not word
//	case located.Tree == nil:
//		return located.Problems // the errors, as cel-go words them
//	}
//	return located.Tree
//
// [Parser.Parse] returns only the tree, nil for a text with an error. [Parser.Locate] has the
// words of the frequent errors: reserved words, numbers that are too large, wrong arguments of macros,
// a text that ends too early, a token too much. It returns nil for other errors of the
// grammar, and for expressions that are nearly too deep or too long for cel-go: the caller
// then uses the parser of cel-go, which is the reference.
//
// Trees of this parser have no source positions, because only errors need them;
// [Located.Offset] returns them.
//
// TestParse, TestBrokenRules and FuzzParse compare both parsers; TestCorpus pins the
// share of real rules that this parser reads.
package celsyntax
