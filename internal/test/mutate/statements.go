package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// statements finds the mutants that leave out one statement of a block or that
// replace its operator.
func (f *finder) statements(block []ast.Stmt) {
	for _, s := range block {
		if f.removable(s) {
			f.guard(removal, s, "")
		}
		switch s := s.(type) {
		case *ast.IncDecStmt:
			f.guard(arithmetic, s, f.text(s.X)+neighbour[s.Tok].String())
		case *ast.AssignStmt:
			if (s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN) && f.isNumber(s.Lhs[0]) {
				f.guard(arithmetic, s, f.text(s.Lhs[0])+" "+neighbour[s.Tok].String()+" "+f.text(s.Rhs[0]))
			}
		}
	}
}

// guard replaces s by the statement after, which may be empty.
func (f *finder) guard(kind string, s ast.Stmt, after string) {
	start, end := f.offsets(s)
	f.add(kind, s, after, func(id int, text func(int, int) string) string {
		return fmt.Sprintf("if mutantIs(%d) { %s } else { %s }", id, after, text(start, end))
	})
}

func (f *finder) isNumber(e ast.Expr) bool {
	b, ok := f.pkg.info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// removable reports whether the function still compiles without s.
func (f *finder) removable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && types.ExprString(call.Fun) != "panic"
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE && types.ExprString(s.Lhs[0]) != "_"
	case *ast.IncDecStmt, *ast.DeferStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE || s.Tok == token.BREAK
	case *ast.ReturnStmt:
		return len(s.Results) == 0 && f.signature().Results().Len() == 0
	}
	return false
}

// signature returns the type of the innermost function around the current node.
func (f *finder) signature() *types.Signature {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.FuncLit:
			return f.pkg.info.Types[n].Type.(*types.Signature)
		case *ast.FuncDecl:
			return f.pkg.info.Defs[n.Name].Type().(*types.Signature)
		}
	}
	return nil
}

// returned finds the mutants of the results of a return statement: bools are
// negated, others become empty.
func (f *finder) returned(s *ast.ReturnStmt) {
	results := f.signature().Results()
	if len(s.Results) != results.Len() {
		return
	}
	for i, e := range s.Results {
		t := results.At(i).Type()
		if t == types.Typ[types.Bool] {
			f.returnedBool(e)
			continue
		}
		zero := zeroOf(t)
		if zero == "" || f.isZero(e) {
			continue
		}
		texts := make([]string, len(s.Results))
		for j, r := range s.Results {
			texts[j] = f.text(r)
		}
		texts[i] = zero
		f.guard(emptyReturn, s, "return "+strings.Join(texts, ", "))
	}
}

// returnedBool negates a result that is no comparison: those are negated as
// expressions.
func (f *finder) returnedBool(e ast.Expr) {
	if b, ok := e.(*ast.BinaryExpr); ok && opposite[b.Op] != token.ILLEGAL {
		return
	}
	f.negate(e)
}

// zeroOf is how the zero value of t is written, or "" if t has no short one.
func zeroOf(t types.Type) string {
	if _, ok := t.(*types.TypeParam); ok {
		return ""
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return "nil"
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return `""`
		case t.Info()&types.IsNumeric != 0:
			return "0"
		}
	}
	return ""
}

func (f *finder) isZero(e ast.Expr) bool {
	t := f.pkg.info.Types[e]
	if t.IsNil() {
		return true
	}
	if t.Value == nil {
		return false
	}
	switch t.Value.Kind() {
	case constant.String:
		return constant.StringVal(t.Value) == ""
	case constant.Int, constant.Float:
		return constant.Sign(t.Value) == 0
	}
	return false
}
