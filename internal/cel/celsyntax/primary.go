package celsyntax

import (
	"strconv"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// primary parses a value. sign is the sign of a number, which the value then is.
func (p *parsing) primary(sign token) ast.Expr {
	tok := p.tok
	p.advance()
	switch tok.kind {
	case tokenName:
		return p.name(tok.text)
	case tokenOperator:
		return p.bracketed(tok)
	}
	v := literal(tok, sign.text)
	if v == nil {
		return p.fail()
	}
	return p.factory.NewLiteral(p.id(), v)
}

// bracketed parses a value that begins with an operator.
func (p *parsing) bracketed(tok token) ast.Expr {
	switch tok.text {
	case "(":
		e := p.expr()
		if !p.skipped(")") {
			return p.fail()
		}
		return e
	case "[":
		id := p.id()
		return p.factory.NewList(id, p.list("]"), []int32{})
	case "-":
		if p.isNumber() {
			return p.primary(tok)
		}
	}
	return p.fail()
}

// name parses a variable or a function call.
func (p *parsing) name(name string) ast.Expr {
	if isReserved(name) {
		return p.fail()
	}
	if p.skipped("(") {
		id := p.id()
		return p.call(id, name, nil, p.list(")")...)
	}
	return p.factory.NewIdent(p.id(), name)
}

// list parses expressions up to a closing bracket. A comma may end them, except those of a
// call.
func (p *parsing) list(end string) []ast.Expr {
	list := []ast.Expr{}
	for !p.skipped(end) {
		list = append(list, p.expr())
		switch {
		case p.skipped(end):
			return list
		case !p.skipped(","), end == ")" && p.is(end):
			p.fail()
			return list
		}
	}
	return list
}

// literal returns the value of a token, nil if it has none.
func literal(tok token, sign string) ref.Val {
	switch tok.kind {
	case tokenTrue:
		return types.True
	case tokenFalse:
		return types.False
	case tokenNull:
		return types.NullValue
	case tokenString:
		if text, ok := tok.unescape(); ok {
			return types.String(text)
		}
	case tokenDouble:
		if v, err := strconv.ParseFloat(sign+tok.text, 64); err == nil {
			return types.Double(v)
		}
	case tokenInt:
		digits, base := digitsOf(tok.text)
		if v, err := strconv.ParseInt(sign+digits, base, 64); err == nil {
			return types.Int(v)
		}
	case tokenUint:
		digits, base := digitsOf(tok.text[:len(tok.text)-1])
		if v, err := strconv.ParseUint(digits, base, 64); err == nil {
			return types.Uint(v)
		}
	}
	return nil
}

func digitsOf(text string) (digits string, base int) {
	if len(text) > 2 && text[1] == 'x' {
		return text[2:], 16
	}
	return text, 10
}

// isReserved reports whether a name is reserved, so that no variable or function
// can have it.
func isReserved(name string) bool {
	switch name {
	case "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
		"package", "namespace", "return", "var", "void", "while":
		return true
	}
	return false
}
