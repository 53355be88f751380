package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// The kinds of mutants.
const (
	boundary    = "boundary"    // < becomes <=
	negation    = "negation"    // a condition, comparison or returned bool becomes its opposite
	connective  = "connective"  // && becomes ||
	arithmetic  = "arithmetic"  // + becomes -
	removal     = "removal"     // a statement is left out
	offByOne    = "off by one"  // 3 becomes 4 or 2
	emptyReturn = "zero result" // a result becomes nil, "" or 0
)

// A mutant is one small change of the source, which the environment variable
// CRDKIT_MUTANT switches on at run time.
type mutant struct {
	id         int // from 1, given to the chosen ones
	kind       string
	pkg        *goPackage
	file       *source
	start, end int    // bytes of file that the change replaces
	function   string // that holds the change
	line       int
	before     string
	after      string

	// rewrite returns the code that behaves as the mutant if it is switched on,
	// and as the original if not. Here text returns the source of a range,
	// in which other mutants may have been built in.
	rewrite func(id int, text func(start, end int) string) string
}

// A finder collects the possible mutants of one file.
type finder struct {
	fset  *token.FileSet
	pkg   *goPackage
	file  *source
	found []*mutant

	stack    []ast.Node
	function string
}

// find returns the possible mutants of a package in the order of its sources.
func find(fset *token.FileSet, p *goPackage) []*mutant {
	var all []*mutant
	for i := range p.files {
		f := &finder{fset: fset, pkg: p, file: &p.files[i]}
		ast.PreorderStack(f.file.tree, nil, f.visit)
		all = append(all, f.found...)
	}
	return all
}

// visit looks at one node below its ancestors and reports whether its children
// are of interest.
func (f *finder) visit(n ast.Node, stack []ast.Node) bool {
	f.stack = stack
	switch n := n.(type) {
	case *ast.GenDecl:
		if len(stack) == 1 {
			f.function = "package"
		}
		return n.Tok == token.VAR
	case *ast.ArrayType:
		return false
	case *ast.FuncDecl:
		f.function = functionName(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.condition(n.Cond)
		}
	case *ast.ReturnStmt:
		f.returned(n)
	case ast.Expr:
		return f.expression(n)
	}
	return true
}

func functionName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return types.ExprString(d.Recv.List[0].Type) + "." + d.Name.Name
}

// add records a mutant that replaces n.
func (f *finder) add(kind string, n ast.Node, after string, rewrite func(id int, text func(int, int) string) string) {
	start, end := f.offsets(n)
	f.found = append(f.found, &mutant{
		kind: kind, pkg: f.pkg, file: f.file, start: start, end: end,
		function: f.function, line: f.fset.Position(n.Pos()).Line,
		before: oneLine(f.text(n)), after: oneLine(after), rewrite: rewrite,
	})
}

func (f *finder) offsets(n ast.Node) (start, end int) {
	return f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset
}

func (f *finder) text(n ast.Node) string {
	start, end := f.offsets(n)
	return string(f.file.text[start:end])
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// isBool reports whether e has the type bool itself, and is no constant.
func (f *finder) isBool(e ast.Expr) bool {
	t, ok := f.pkg.info.Types[e]
	if !ok || t.Value != nil {
		return false
	}
	b, ok := t.Type.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// condition negates a condition that is no comparison: those are negated as
// expressions.
func (f *finder) condition(e ast.Expr) {
	if b, ok := e.(*ast.BinaryExpr); !f.isBool(e) || ok && opposite[b.Op] != token.ILLEGAL {
		return
	}
	f.negate(e)
}

func (f *finder) negate(e ast.Expr) {
	start, end := f.offsets(e)
	f.add(negation, e, "!("+f.text(e)+")", func(id int, text func(int, int) string) string {
		return fmt.Sprintf("((%s) != mutantIs(%d))", text(start, end), id)
	})
}

var opposite = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
}

var neighbour = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.INC: token.DEC, token.DEC: token.INC,
}

// expression finds the mutants of e and reports whether its parts may have
// some of their own.
func (f *finder) expression(e ast.Expr) bool {
	if v := f.pkg.info.Types[e].Value; v != nil {
		f.constant(e, v)
		return false
	}
	b, ok := e.(*ast.BinaryExpr)
	if !ok {
		return true
	}
	switch b.Op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		f.alternative(boundary, b)
		f.negated(b)
	case token.EQL, token.NEQ:
		f.negated(b)
	case token.LAND, token.LOR:
		f.alternative(connective, b)
	case token.ADD, token.SUB:
		f.sum(b)
	}
	return true
}

// swapped is the source of b with another operator.
func (f *finder) swapped(b *ast.BinaryExpr, op token.Token) string {
	start, end := f.offsets(b)
	at := f.fset.Position(b.OpPos).Offset
	return string(f.file.text[start:at]) + op.String() + string(f.file.text[at+len(b.Op.String()):end])
}

// alternative replaces the operator of a bool expression by its neighbour.
func (f *finder) alternative(kind string, b *ast.BinaryExpr) {
	if !f.isBool(b) {
		return
	}
	start, end := f.offsets(b)
	after := f.swapped(b, neighbour[b.Op])
	if kind == connective { // x && a || y has another tree than x || a || y
		after = "(" + f.text(b.X) + ") " + neighbour[b.Op].String() + " (" + f.text(b.Y) + ")"
	}
	f.add(kind, b, after, func(id int, text func(int, int) string) string {
		return fmt.Sprintf("(mutantIs(%[1]d) && (%[2]s) || !mutantIs(%[1]d) && (%[3]s))", id, after, text(start, end))
	})
}

func (f *finder) negated(b *ast.BinaryExpr) {
	if !f.isBool(b) {
		return
	}
	start, end := f.offsets(b)
	f.add(negation, b, f.swapped(b, opposite[b.Op]), func(id int, text func(int, int) string) string {
		return fmt.Sprintf("((%s) != mutantIs(%d))", text(start, end), id)
	})
}

// sum swaps + and - between numbers.
func (f *finder) sum(b *ast.BinaryExpr) {
	t, ok := f.pkg.info.Types[b].Type.Underlying().(*types.Basic)
	if !ok || t.Info()&types.IsNumeric == 0 {
		return
	}
	xStart, xEnd := f.offsets(b.X)
	yStart, yEnd := f.offsets(b.Y)
	name := map[token.Token]string{token.ADD: "mutantAdd", token.SUB: "mutantSubtract"}[b.Op]
	f.add(arithmetic, b, f.swapped(b, neighbour[b.Op]), func(id int, text func(int, int) string) string {
		return fmt.Sprintf("%s(%d, %s, %s)", name, id, text(xStart, xEnd), text(yStart, yEnd))
	})
}

// constant moves an integer constant by one, unless Go wants a constant there
// or the number is a capacity, which no behaviour depends on.
func (f *finder) constant(e ast.Expr, v constant.Value) {
	basic, ok := f.pkg.info.Types[e].Type.(*types.Basic)
	if !ok || v.Kind() != constant.Int || basic.Info()&types.IsNumeric == 0 || basic.Info()&types.IsUntyped != 0 {
		return
	}
	switch parent := f.stack[len(f.stack)-1].(type) {
	case *ast.KeyValueExpr:
		if parent.Key == e {
			return
		}
	case *ast.CallExpr:
		if fun, ok := parent.Fun.(*ast.Ident); ok && fun.Name == "make" {
			return
		}
	}
	start, end := f.offsets(e)
	step := 1 - 2*(len(f.found)%2)
	f.add(offByOne, e, fmt.Sprintf("%s%+d", f.text(e), step), func(id int, text func(int, int) string) string {
		return fmt.Sprintf("mutantShift[%s](%d, %d, %s)", basic.Name(), id, step, text(start, end))
	})
}
