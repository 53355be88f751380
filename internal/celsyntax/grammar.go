package celsyntax

import (
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/ast"
)

// The parser of cel-go is generated, and so are its errors. This file words those that are
// simple: the text ends too early, or there is one token too much. A token is too much if
// the next one fits. All other errors are left to cel-go.

// operands are the tokens that an operand begins with, as errors list them.
const operands = "'.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

// What errors say that is expected.
const (
	anOperand   = "{'[', '{', '(', " + operands
	anArgument  = "{'[', '{', '(', ')', " + operands
	anIndex     = "{'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
	anElement   = "{'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
	afterList   = "{']', ','}"
	maxConsumed = 200 // tokens that are left out after an error; cel-go stops at 256
)

// startsOperand reports whether an operand begins with a token.
func startsOperand(t token) bool {
	switch t.kind {
	case tokenName, tokenTrue, tokenFalse, tokenNull, tokenInt, tokenUint, tokenDouble, tokenString, tokenBytes:
		return true
	case tokenOperator:
		switch t.text {
		case "[", "{", "(", ".", "-", "!":
			return true
		}
	}
	return false
}

// syntaxError notes an error at a position.
func (p *parsing) syntaxError(at int, text string) {
	p.grammar = append(p.grammar, Problem{Offset: at, Text: text})
}

// endsEarly reports whether the text ends here. The first time it is an error.
func (p *parsing) endsEarly(text string) bool {
	if !p.locate || p.declined || p.tok.kind != tokenEnd {
		return false
	}
	if !p.ended {
		p.syntaxError(p.tok.at, text)
	}
	p.ended = true
	return true
}

// following returns the token after the next one.
func (p *parsing) following() token {
	ahead := p.lexer
	return ahead.next()
}

// noOperand handles a token that no operand begins with. It returns a node if there is no
// operand, and nil after it has left out the token.
func (p *parsing) noOperand() ast.Expr {
	at := p.tok.at
	if p.endsEarly("mismatched input '<EOF>' expecting " + anOperand) {
		return p.factory.NewUnspecifiedExpr(p.id(at))
	}
	if p.declined || !startsOperand(p.following()) {
		return p.fail()
	}
	p.syntaxError(at, "extraneous input "+p.shown()+" expecting "+anOperand)
	p.advance()
	return nil
}

// index parses the index between brackets, after the question mark that it may have.
func (p *parsing) index(optional bool) ast.Expr {
	at := p.tok.at
	if optional {
		return p.expr()
	}
	if p.endsEarly("mismatched input '<EOF>' expecting " + anIndex) {
		return p.factory.NewUnspecifiedExpr(p.id(at))
	}
	if p.locate && !startsOperand(p.tok) {
		return p.fail()
	}
	return p.expr()
}

// endsInList reports whether the text ends after an opening bracket. It declines other
// tokens that nothing in the brackets begins with.
func (p *parsing) endsInList(end string) bool {
	switch {
	case !p.locate:
		return false
	case end == ")":
		if p.endsEarly("mismatched input '<EOF>' expecting " + anArgument) {
			return true
		}
	case end == "]":
		if p.endsEarly("mismatched input '<EOF>' expecting " + anElement) {
			return true
		}
	}
	if !startsOperand(p.tok) && (end == ")" || !p.is("?") && !p.is(",") && p.tok.kind != tokenQuotedName) {
		p.fail()
	}
	return false
}

func expectedAfterPart(end string) string {
	if end == "]" {
		return afterList
	}
	return ""
}

// closed reads a closing bracket. It reports false if there is none and cel-go words the
// error. expected is what cel-go expects here if it is not only the bracket.
func (p *parsing) closed(end, expected string) bool {
	if p.skipped(end) || p.endsInside(end, expected) {
		return true
	}
	if !p.locate || p.declined {
		return false
	}
	if next := p.following(); next.kind != tokenOperator || next.text != end {
		return false
	}
	if expected == "" {
		expected = "'" + end + "'"
	}
	p.syntaxError(p.tok.at, "extraneous input "+p.shown()+" expecting "+expected)
	p.advance()
	p.advance()
	return true
}

// endsInside reports whether the text ends before a closing bracket. If only this bracket
// is missing, cel-go inserts it.
func (p *parsing) endsInside(end, expected string) bool {
	if !p.locate || p.tok.kind != tokenEnd {
		return false
	}
	text := "mismatched input '<EOF>' expecting " + expected
	if expected == "" {
		if text += "'" + end + "'"; p.open == 1 {
			text = "missing '" + end + "' at '<EOF>'"
		}
	}
	return p.endsEarly(text)
}

// excess handles tokens after the expression.
func (p *parsing) excess() {
	if !p.locate || p.declined {
		p.fail()
		return
	}
	text := "mismatched input "
	if p.following().kind == tokenEnd {
		text = "extraneous input "
	}
	p.syntaxError(p.tok.at, text+p.shown()+" expecting <EOF>")
	for n := 0; p.tok.kind != tokenEnd; n++ {
		if p.advance(); n > maxConsumed {
			p.fail()
			return
		}
	}
}

// shown returns the next token as errors show it.
func (p *parsing) shown() string { return display(p.text[p.tok.at:p.tok.end]) }

// display returns a part of the text as errors show it.
func display(text string) string {
	return "'" + strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(text) + "'"
}

// unrecognizedAfter reports whether there is something after a position that is no token.
func (l *lexer) unrecognizedAfter(at int) bool {
	return len(l.errs) > 0 && l.errs[len(l.errs)-1].Offset > at
}

// unrecognized skips what is no token, up to the letter that shows it.
func (l *lexer) unrecognized() {
	start := l.at
	switch c := l.text[start]; c {
	case '=', '&', '|':
		l.at++
	case '"', '\'':
		for l.at++; l.at < len(l.text) && l.text[l.at] != '\n' && l.text[l.at] != '\r'; l.at++ {
			if l.text[l.at] == '\\' && l.at+1 < len(l.text) {
				l.escape(l.at)
				l.at++
			}
		}
	case '`':
		for l.at++; l.at < len(l.text) && (isLetter(l.text[l.at]) || isDigit(l.text[l.at]) || strings.IndexByte(".-/ ", l.text[l.at]) >= 0); {
			l.at++
		}
	}
	_, size := utf8.DecodeRuneInString(l.text[l.at:])
	l.at += size
	l.errs = append(l.errs, Problem{Offset: start, Text: "token recognition error at: '" + l.text[start:l.at] + "'"})
}
