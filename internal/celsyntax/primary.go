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
		return p.name(tok, false)
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
		elements, optional := p.list("]")
		return p.factory.NewList(id, elements, optional)
	case "{":
		p.rare = true
		id := p.id()
		return p.factory.NewMap(id, p.entries())
	case "-":
		if p.isNumber() {
			return p.primary(tok)
		}
	case ".":
		if name := p.tok; name.kind == tokenName {
			p.rare = true
			p.advance()
			return p.name(name, true)
		}
	}
	return p.fail()
}

// name parses a variable, a function call or a message. dotted says that there is a dot
// before the name.
func (p *parsing) name(name token, dotted bool) ast.Expr {
	text := name.text
	if dotted {
		text = "." + text
	}
	if p.braces {
		if e := p.message(text); e != nil {
			return e
		}
	}
	if isReserved(name.text) {
		return p.fail()
	}
	if p.skipped("(") {
		id := p.id()
		args, _ := p.list(")")
		return p.call(id, text, nil, args...)
	}
	return p.factory.NewIdent(p.id(), text)
}

// message parses the fields of a message, if it is one. Otherwise it returns nil and
// reads nothing. name is the first part of its name.
func (p *parsing) message(name string) ast.Expr {
	lexer, tok := p.lexer, p.tok
	named := true
	for named && p.skipped(".") {
		if named = p.tok.kind == tokenName; named {
			name += "." + p.tok.text
			p.advance()
		}
	}
	if p.declined || !named || !p.skipped("{") {
		p.lexer, p.tok = lexer, tok
		return nil
	}
	p.rare = true
	id := p.id()
	fields := []ast.EntryExpr{}
	p.listed("}", func() {
		optional := p.skipped("?")
		field := p.tok
		p.advance()
		if field.kind != tokenName && field.kind != tokenQuotedName || !p.skipped(":") {
			p.fail()
			return
		}
		id := p.id()
		fields = append(fields, p.factory.NewStructField(id, field.text, p.expr(), optional))
	})
	return p.factory.NewStruct(id, name, fields)
}

// entries parses the entries of a map.
func (p *parsing) entries() []ast.EntryExpr {
	entries := []ast.EntryExpr{}
	p.listed("}", func() {
		id := p.id()
		optional := p.skipped("?")
		key := p.expr()
		if !p.skipped(":") {
			p.fail()
			return
		}
		entries = append(entries, p.factory.NewMapEntry(id, key, p.expr(), optional))
	})
	return entries
}

// list parses expressions up to a closing bracket, and returns the indices of the
// optional ones. Only those of a list are optional.
func (p *parsing) list(end string) ([]ast.Expr, []int32) {
	list, optional := []ast.Expr{}, []int32{}
	p.listed(end, func() {
		if end == "]" && p.skipped("?") {
			p.rare = true
			optional = append(optional, int32(len(list)))
		}
		list = append(list, p.expr())
	})
	return list, optional
}

// listed parses parts that commas separate, up to a closing bracket. A comma may end
// them, except those of a call.
func (p *parsing) listed(end string, part func()) {
	if p.skipped(end) {
		return
	}
	if end != ")" && p.skipped(",") {
		if !p.skipped(end) {
			p.fail()
		}
		return
	}
	for {
		part()
		switch {
		case p.skipped(end):
			return
		case !p.skipped(","):
			p.fail()
			return
		case end == ")":
		case p.skipped(end):
			return
		}
	}
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
	case tokenBytes:
		if text, ok := tok.unescape(); ok {
			return types.Bytes(text)
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
