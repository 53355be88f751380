package celsyntax

import (
	"strconv"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// A Parser parses expressions of one version of the language. It is immutable and
// safe for concurrent use.
type Parser struct{ macros map[macroKey]parser.Macro }

type macroKey struct {
	name     string
	args     int // -1 for any number
	receiver bool
}

// New returns the parser of a language with these macros.
func New(macros []parser.Macro) Parser {
	s := Parser{macros: make(map[macroKey]parser.Macro, len(macros))}
	for _, m := range macros {
		key := macroKey{name: m.Function(), args: m.ArgCount(), receiver: m.IsReceiverStyle()}
		if m.MacroKey() == anyArgsKey(key) {
			key.args = -1
		}
		s.macros[key] = m
	}
	return s
}

// anyArgsKey returns cel-go's name for a macro with any number of arguments.
func anyArgsKey(k macroKey) string { return k.name + ":*:" + strconv.FormatBool(k.receiver) }

// A parsing is the state of parsing one text.
type parsing struct {
	*Parser
	lexer
	tok      token
	factory  ast.ExprFactory
	last     int64 // number of the last node
	declined bool  // cel-go has to parse the text
	depth    int
}

// maxDepth limits the depth of an expression: three for each pair of brackets,
// one for each operator in a row. cel-go stops at 250 at the earliest.
const maxDepth = 200

// Parse returns the tree of an expression, or nil if cel-go has to parse the
// text.
func (s *Parser) Parse(text string) *ast.AST {
	if !isReadable(text) {
		return nil
	}
	p := parsing{Parser: s, lexer: lexer{text: text}, factory: exprFactory()}
	p.advance()
	e := p.expr()
	if p.tok.kind != tokenEnd || p.declined {
		return nil
	}
	return ast.NewAST(e, ast.NewSourceInfo(nil))
}

func exprFactory() ast.ExprFactory {
	return ast.NewExprFactoryWithAccumulator(parser.HiddenAccumulatorName)
}

func (p *parsing) advance() {
	if p.tok = p.next(); p.tok.kind == tokenUnknown {
		p.fail()
	}
}

// fail declines the text. It moves to the end, so that parsing stops soon.
func (p *parsing) fail() ast.Expr {
	p.declined = true
	p.tok, p.at = token{kind: tokenEnd}, len(p.text)
	return p.factory.NewUnspecifiedExpr(0)
}

// id returns the number of the next node.
func (p *parsing) id() int64 {
	p.last++
	return p.last
}

func (p *parsing) is(operator string) bool {
	return p.tok.kind == tokenOperator && p.tok.text == operator
}

// skipped skips an operator if it is the next token, and reports whether it was.
func (p *parsing) skipped(operator string) bool {
	if !p.is(operator) {
		return false
	}
	p.advance()
	return true
}

// deeper increases the depth. The caller restores it.
func (p *parsing) deeper(by int) {
	if p.depth += by; p.depth > maxDepth {
		p.fail()
	}
}

// expr parses a condition with two branches, or a single operand.
func (p *parsing) expr() ast.Expr {
	before := p.depth
	p.deeper(3)
	e := p.or()
	if p.skipped("?") {
		id := p.id()
		yes := p.or()
		if !p.skipped(":") {
			return p.fail()
		}
		e = p.call(id, operators.Conditional, nil, e, yes, p.expr())
	}
	p.depth = before
	return e
}

func (p *parsing) or() ast.Expr { return p.logic("||", operators.LogicalOr, p.and) }

func (p *parsing) and() ast.Expr { return p.logic("&&", operators.LogicalAnd, p.relation) }

// logic parses operands of || or &&. Many operands become a balanced tree.
func (p *parsing) logic(operator, function string, operandID func() ast.Expr) ast.Expr {
	first := operandID()
	if !p.is(operator) {
		return first
	}
	terms, ids := []ast.Expr{first}, []int64(nil)
	for p.skipped(operator) {
		terms = append(terms, operandID())
		ids = append(ids, p.id())
	}
	return p.balanced(function, terms, ids)
}

// balanced joins terms by operators, of which there is one fewer.
func (p *parsing) balanced(function string, terms []ast.Expr, ids []int64) ast.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	middle := len(ids) / 2
	return p.factory.NewCall(ids[middle], function,
		p.balanced(function, terms[:middle+1], ids[:middle]),
		p.balanced(function, terms[middle+1:], ids[middle+1:]))
}

// The precedences of operators between two operands, higher ones bind tighter.
const (
	relational = iota + 1
	additive
	multiplicative
)

// precedence returns that of the next token, 0 if it is no such operator.
func (p *parsing) precedence() int {
	if p.tok.kind != tokenOperator && p.tok.kind != tokenIn {
		return 0
	}
	switch p.tok.text {
	case "*", "/", "%":
		return multiplicative
	case "+", "-":
		return additive
	case "<", "<=", ">", ">=", "==", "!=", "in":
		return relational
	}
	return 0
}

func (p *parsing) relation() ast.Expr { return p.row(relational, p.sum) }

func (p *parsing) sum() ast.Expr { return p.row(additive, p.product) }

func (p *parsing) product() ast.Expr { return p.row(multiplicative, p.unary) }

// row parses operands with operators of one precedence, from the left.
func (p *parsing) row(precedence int, operand func() ast.Expr) ast.Expr {
	before := p.depth
	e := operand()
	for p.precedence() == precedence {
		function, _ := operators.Find(p.tok.text)
		p.deeper(1)
		p.advance()
		id := p.id()
		e = p.call(id, function, nil, e, operand())
	}
	p.depth = before
	return e
}

func (p *parsing) unary() ast.Expr {
	switch {
	case p.is("!"):
		negated := false
		for p.skipped("!") {
			negated = !negated
		}
		if !negated {
			return p.member(token{})
		}
		id := p.id()
		return p.call(id, operators.LogicalNot, nil, p.member(token{}))
	case p.is("-"):
		sign := p.tok
		p.advance()
		if p.tok.kind == tokenInt || p.tok.kind == tokenDouble {
			return p.member(sign)
		}
		id := p.id()
		return p.call(id, operators.Negate, nil, p.member(token{}))
	}
	return p.member(token{})
}

// member parses a value and the fields, indexes and calls that follow it. sign is
// the sign of a number.
func (p *parsing) member(sign token) ast.Expr {
	before := p.depth
	e := p.primary(sign.text)
	for {
		switch {
		case p.skipped("."):
			p.deeper(1)
			e = p.field(e)
		case p.skipped("["):
			p.deeper(1)
			function := operators.Index
			id := p.id()
			if p.skipped("?") {
				function = operators.OptIndex
			}
			index := p.expr()
			if !p.skipped("]") {
				return p.fail()
			}
			e = p.call(id, function, nil, e, index)
		default:
			p.depth = before
			return e
		}
	}
}

// field parses what follows a dot.
func (p *parsing) field(of ast.Expr) ast.Expr {
	optional := p.skipped("?")
	name := p.tok.text
	if p.tok.kind != tokenName {
		return p.fail()
	}
	p.advance()
	switch {
	case optional:
		text := p.factory.NewLiteral(p.id(), types.String(name))
		return p.factory.NewCall(p.id(), operators.OptSelect, of, text)
	case p.skipped("("):
		id := p.id()
		return p.call(id, name, of, p.list(")")...)
	}
	return p.factory.NewSelect(p.id(), of, name)
}

// list parses expressions up to a closing bracket.
func (p *parsing) list(end string) []ast.Expr {
	list := []ast.Expr{}
	if p.skipped(end) {
		return list
	}
	for {
		list = append(list, p.expr())
		switch {
		case p.skipped(end):
			return list
		case !p.skipped(","):
			p.fail()
			return list
		case end == "]" && p.skipped(end): // a comma at the end
			return list
		}
	}
}

func (p *parsing) primary(sign string) ast.Expr {
	tok := p.tok
	p.advance()
	switch tok.kind {
	case tokenName:
		return p.name(tok.text)
	case tokenOperator:
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
		}
		return p.fail()
	}
	v := literal(tok, sign)
	if v == nil {
		return p.fail()
	}
	return p.factory.NewLiteral(p.id(), v)
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

// call returns a call, or its expansion if it is a macro. target is nil for
// global calls.
func (p *parsing) call(id int64, function string, target ast.Expr, args ...ast.Expr) ast.Expr {
	if p.declined {
		return p.fail()
	}
	m, ok := p.macros[macroKey{name: function, args: len(args), receiver: target != nil}]
	if !ok {
		m, ok = p.macros[macroKey{name: function, args: -1, receiver: target != nil}]
	}
	if ok {
		e, err := m.Expander()(&expansion{p}, target, args)
		if err != nil {
			return p.fail()
		}
		if e != nil {
			if id == p.last {
				p.last-- // as cel-go does, though a node may have the number
			}
			return e
		}
	}
	if target != nil {
		return p.factory.NewMemberCall(id, function, target, args...)
	}
	return p.factory.NewCall(id, function, args...)
}
