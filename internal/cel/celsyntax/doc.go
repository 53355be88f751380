// Package celsyntax parses the text of rules to trees of cel-go.
//
// The parser of cel-go takes several times longer than all other steps of compiling a rule
// together. [Parser] reads the constructs that most rules consist of. It returns the same tree as
// cel-go, and expands macros with the functions of cel-go.
//
//	p := celsyntax.New(parser.AllMacros)
//	tree := p.Parse("self.min <= self.max")
//	if tree == nil {
//		return parseWithCELGo()
//	}
//	return tree
//
// [Parser.Parse] returns nil for a text with an error, with a rare construct such as a map, or with
// nearly too much depth or length for cel-go. The parser of cel-go, which is the reference, then
// parses the text or says what is wrong. Trees of this parser have no source positions.
package celsyntax
