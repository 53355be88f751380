// Package celsyntax parses the text of rules to trees of cel-go.
//
// The parser of cel-go takes several times longer than all other steps of
// compiling a rule together. [Parser] reads the part of the language that rules
// use. It returns the tree that cel-go returns, with the same number for
// each node, and expands macros with the functions of cel-go.
//
//	p := celsyntax.New(parser.AllMacros)
//	tree := p.Parse("self.min <= self.max")
//	if tree == nil {
//		return parseWithCELGo() // syntax that the parser does not read, or an error
//	}
//
// [Parser.Parse] returns nil for a text that it does not read: a text with an
// error, and rare syntax such as map literals, bytes, numeric escapes, carriage returns
// in strings, optional elements, quoted names and names that begin with a dot.
// The caller then uses the parser of cel-go, which is the reference.
//
// Trees of this parser have no source positions. Only errors need those, and a text
// with an error is parsed again by cel-go.
//
// TestParse and FuzzParse compare both parsers; TestCorpus pins the share of real
// rules that this parser reads.
package celsyntax
