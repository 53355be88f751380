package celsyntax

// A Token is a word of an expression: text[Start:End].
type Token struct {
	Start, End int
	// IsName is true for identifiers, which may be fields, variables and functions.
	IsName bool
	// IsOperator is true for operators and brackets.
	IsOperator bool
}

// Tokens splits an expression into its words. It reports false for a text that the
// parser of this package does not read.
func Tokens(text string) ([]Token, bool) {
	if !isReadable(text) {
		return nil, false
	}
	l := lexer{text: text}
	var out []Token
	for {
		l.skip()
		start := l.at
		switch t := l.next(); t.kind {
		case tokenUnknown:
			return nil, false
		case tokenEnd:
			return out, true
		default:
			out = append(out, Token{Start: start, End: l.at, IsName: t.kind == tokenName, IsOperator: t.kind == tokenOperator || t.kind == tokenIn})
		}
	}
}
