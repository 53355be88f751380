package celsyntax

import (
	"strconv"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// A Parser parses expressions of one version. It is immutable and safe for concurrent use.
type Parser struct {
	macros  map[macroKey]parser.Macro
	factory ast.ExprFactory
}

type macroKey struct {
	name     string
	args     int // number of arguments, -1 for any
	receiver bool
}

func New(macros []parser.Macro) Parser {
	s := Parser{
		macros:  make(map[macroKey]parser.Macro, len(macros)),
		factory: ast.NewExprFactoryWithAccumulator(parser.HiddenAccumulatorName),
	}
	for _, m := range macros {
		key := macroKey{name: m.Function(), args: m.ArgCount(), receiver: m.IsReceiverStyle()}
		if m.MacroKey() == anyArgsKey(key) {
			key.args = -1
		}
		s.macros[key] = m
	}
	return s
}

// anyArgsKey returns the key under which cel-go stores a macro with any number of arguments.
func anyArgsKey(k macroKey) string { return k.name + ":*:" + strconv.FormatBool(k.receiver) }

type parsing struct {
	*Parser
	lexer
	tok      token
	last     int64 // number of the last node
	declined bool  // cel-go must parse the text
	depth    int
}

// maxDepth limits the depth of an expression. A bracket adds three levels. Each operator of a+b+c
// and each selection of a.b.c adds one. The limit of cel-go is 250.
const maxDepth = 200

// Parse returns the tree of an expression. It returns nil if cel-go must parse the text: if it has
// an error, is nearly too deep or too long, or has maps, messages, bytes, quoted names, optional
// elements, or names that begin with a dot.
func (s *Parser) Parse(text string) *ast.AST {
	if !isReadable(text) {
		return nil
	}
	p := parsing{Parser: s, lexer: lexer{text: text}}
	p.advance()
	root := p.expr()
	if p.declined || p.tok.kind != tokenEnd {
		return nil
	}
	return ast.NewAST(root, ast.NewSourceInfo(nil))
}

//
//go:noinline
func (p *parsing) advance() {
	if p.tok = p.next(); p.tok.kind == tokenUnknown {
		p.fail()
	}
}

// fail declines the text. It skips the rest, so that parsing stops soon.
//
//go:noinline
func (p *parsing) fail() ast.Expr {
	p.declined = true
	p.tok, p.at = token{kind: tokenEnd}, len(p.text)
	return p.factory.NewUnspecifiedExpr(0)
}

func (p *parsing) id() int64 {
	p.last++
	return p.last
}

//
//go:noinline
func (p *parsing) is(operator string) bool {
	return p.tok.kind == tokenOperator && p.tok.text == operator
}

// skipped skips the next token if it is the operator, and reports whether it did.
//
//go:noinline
func (p *parsing) skipped(operator string) bool {
	if !p.is(operator) {
		return false
	}
	p.advance()
	return true
}

func (p *parsing) deeper(by int) {
	if p.depth += by; p.depth > maxDepth {
		p.fail()
	}
}

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

// logic parses operands of || or &&. Many operands become a balanced tree, as in cel-go.
func (p *parsing) logic(operator, function string, operand func() ast.Expr) ast.Expr {
	first := operand()
	if !p.is(operator) {
		return first
	}
	terms, ids := []ast.Expr{first}, []int64(nil)
	for p.is(operator) {
		p.advance()
		terms = append(terms, operand())
		ids = append(ids, p.id())
	}
	return p.balanced(function, terms, ids)
}

// balanced joins terms in a balanced tree. ids has one id for each operator.
func (p *parsing) balanced(function string, terms []ast.Expr, ids []int64) ast.Expr {
	if len(terms) == 1 {
		return terms[0]
	}
	middle := len(ids) / 2
	return p.factory.NewCall(ids[middle], function,
		p.balanced(function, terms[:middle+1], ids[:middle]),
		p.balanced(function, terms[middle+1:], ids[middle+1:]))
}

// The precedences of binary operators. Higher ones bind tighter.
const (
	relational = iota + 1
	additive
	multiplicative
)

// precedence returns the precedence of the next token, 0 if it is not a binary operator.
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
		return p.signed("!", operators.LogicalNot)
	case p.is("-"):
		return p.signed("-", operators.Negate)
	}
	return p.member(token{})
}

// signed parses an operand with signs before it. Signs cancel each other in pairs. A minus before a
// number belongs to the number.
func (p *parsing) signed(sign, function string) ast.Expr {
	first, once := p.tok, false
	for p.is(sign) {
		last := p.tok
		p.advance()
		if once = !once; last == first && sign == "-" && p.isNumber() {
			return p.member(first)
		}
	}
	if !once {
		return p.member(token{})
	}
	id := p.id()
	return p.call(id, function, nil, p.member(token{}))
}

func (p *parsing) isNumber() bool { return p.tok.kind == tokenInt || p.tok.kind == tokenDouble }

// member parses a value, and the fields, indexes and calls after it. sign may be the sign of a
// number.
func (p *parsing) member(sign token) ast.Expr {
	before := p.depth
	e := p.primary(sign)
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

func (p *parsing) field(of ast.Expr) ast.Expr {
	optional := p.skipped("?")
	name := p.tok
	if name.kind != tokenName {
		return p.fail()
	}
	p.advance()
	switch {
	case optional:
		text := p.factory.NewLiteral(p.id(), types.String(name.text))
		return p.factory.NewCall(p.id(), operators.OptSelect, of, text)
	case p.skipped("("):
		id := p.id()
		return p.call(id, name.text, of, p.list(")")...)
	}
	return p.factory.NewSelect(p.id(), of, name.text)
}

// call returns a call, or the expansion of a macro. target is nil for a global call.
func (p *parsing) call(id int64, function string, target ast.Expr, args ...ast.Expr) ast.Expr {
	if p.declined {
		return p.fail()
	}
	m, ok := p.macros[macroKey{name: function, args: len(args), receiver: target != nil}]
	if !ok {
		m, ok = p.macros[macroKey{name: function, args: -1, receiver: target != nil}]
	}
	if ok {
		if e := p.expand(m, id, target, args); e != nil {
			return e
		}
	}
	if target != nil {
		return p.factory.NewMemberCall(id, function, target, args...)
	}
	return p.factory.NewCall(id, function, args...)
}

// primary parses a value. If sign is set, the value must be a number.
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

// bracketed parses a value that begins with an operator or bracket.
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

// list parses expressions up to a closing bracket. A comma may follow the last expression, except
// in a call.
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

// literal returns the value of a token, nil if it is not a literal.
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

// isReserved reports whether a name is reserved. No variable or function can have a reserved name.
func isReserved(name string) bool {
	switch name {
	case "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
		"package", "namespace", "return", "var", "void", "while":
		return true
	}
	return false
}

type expansion struct{ *parsing }

var _ parser.ExprHelper = (*expansion)(nil)

// expand returns the expansion of a macro call, nil if it stays a call.
func (p *parsing) expand(m parser.Macro, id int64, target ast.Expr, args []ast.Expr) ast.Expr {
	e, err := m.Expander()(&expansion{p}, target, args)
	switch {
	case err != nil:
		return p.fail()
	case e != nil && id == p.last:
		p.last-- // like cel-go, even if another node has this number
	}
	return e
}

func (x *expansion) Copy(e ast.Expr) ast.Expr {
	out := x.factory.CopyExpr(e)
	out.RenumberIDs(func(int64) int64 { return x.id() })
	return out
}

func (x *expansion) NewLiteral(v ref.Val) ast.Expr { return x.factory.NewLiteral(x.id(), v) }

func (x *expansion) NewList(elems ...ast.Expr) ast.Expr {
	return x.factory.NewList(x.id(), elems, []int32{})
}

func (x *expansion) NewMap(entries ...ast.EntryExpr) ast.Expr {
	return x.factory.NewMap(x.id(), entries)
}

func (x *expansion) NewMapEntry(key, v ast.Expr, optional bool) ast.EntryExpr {
	return x.factory.NewMapEntry(x.id(), key, v, optional)
}

func (x *expansion) NewStruct(typ string, fields ...ast.EntryExpr) ast.Expr {
	return x.factory.NewStruct(x.id(), typ, fields)
}

func (x *expansion) NewStructField(name string, v ast.Expr, optional bool) ast.EntryExpr {
	return x.factory.NewStructField(x.id(), name, v, optional)
}

func (x *expansion) NewComprehension(over ast.Expr, name, accu string, init, condition, step, result ast.Expr) ast.Expr {
	return x.factory.NewComprehension(x.id(), over, name, accu, init, condition, step, result)
}

func (x *expansion) NewComprehensionTwoVar(over ast.Expr, name, name2, accu string, init, condition, step, result ast.Expr) ast.Expr {
	return x.factory.NewComprehensionTwoVar(x.id(), over, name, name2, accu, init, condition, step, result)
}

func (x *expansion) NewIdent(name string) ast.Expr { return x.factory.NewIdent(x.id(), name) }

func (x *expansion) NewAccuIdent() ast.Expr { return x.factory.NewAccuIdent(x.id()) }

func (x *expansion) AccuIdentName() string { return x.factory.AccuIdentName() }

func (x *expansion) NewCall(function string, args ...ast.Expr) ast.Expr {
	return x.factory.NewCall(x.id(), function, args...)
}

func (x *expansion) NewMemberCall(function string, target ast.Expr, args ...ast.Expr) ast.Expr {
	return x.factory.NewMemberCall(x.id(), function, target, args...)
}

func (x *expansion) NewPresenceTest(operandID ast.Expr, field string) ast.Expr {
	return x.factory.NewPresenceTest(x.id(), operandID, field)
}

func (x *expansion) NewSelect(operandID ast.Expr, field string) ast.Expr {
	return x.factory.NewSelect(x.id(), operandID, field)
}

func (x *expansion) OffsetLocation(int64) common.Location { return common.NoLocation }

func (x *expansion) NewError(id int64, message string) *common.Error {
	return common.NewError(id, message, common.NoLocation)
}
