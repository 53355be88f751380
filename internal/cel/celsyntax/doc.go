// Package celsyntax parses the text of rules to trees of cel-go.
//
// The parser of cel-go takes several times longer than all other steps of
// compiling a rule together. [Parser] reads what most rules are made of. It returns the tree
// that cel-go returns, and expands macros with the functions of cel-go.
//
//	p := celsyntax.New(parser.AllMacros)
//	tree := p.Parse("self.min <= self.max")
//	if tree == nil {
//		return parseWithCELGo()
//	}
//	return tree
//
// [Parser.Parse] returns nil for a text with an error, for one with a rare construct such
// as a map, and for one that is nearly too deep or too long for cel-go. The parser of
// cel-go, which is the reference, then reads it or says what is wrong. Trees of this parser
// have no source positions.
package celsyntax
