package celsyntax

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// An expansion makes nodes for a macro.
type expansion struct{ *parsing }

var _ parser.ExprHelper = (*expansion)(nil)

// expand returns the expansion of a call, nil if it stays a call.
func (p *parsing) expand(m parser.Macro, id int64, target ast.Expr, args []ast.Expr) ast.Expr {
	e, err := m.Expander()(&expansion{p}, target, args)
	switch {
	case err != nil:
		return p.fail()
	case e != nil && id == p.last:
		p.last-- // as cel-go does, though a node may have the number
	}
	return e
}

// Copy implements parser.ExprHelper.
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
