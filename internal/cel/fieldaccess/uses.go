package fieldaccess

import (
	"maps"
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
)

// Uses returns the variables and fields that an expression reads, as text and
// sorted. It follows plain field selections only.
func Uses(tree *ast.AST) []string {
	u := used{texts: make(map[string]bool)}
	u.visit(tree.Expr())
	return slices.Sorted(maps.Keys(u.texts))
}

type used struct {
	texts map[string]bool
	local []string // variables of the enclosing loops
}

func (u *used) visit(e ast.Expr) {
	if text, ok := u.path(e); ok {
		u.texts[text] = true
		return
	}
	if e.Kind() != ast.ComprehensionKind {
		for _, child := range children(e) {
			u.visit(child)
		}
		return
	}
	c := e.AsComprehension()
	u.visit(c.IterRange())
	u.visit(c.AccuInit())
	before := len(u.local)
	u.local = append(u.local, c.IterVar(), c.IterVar2(), c.AccuVar())
	u.visit(c.LoopCondition())
	u.visit(c.LoopStep())
	u.visit(c.Result())
	u.local = u.local[:before]
}

// path returns the text of a variable or of field selections from one.
func (u *used) path(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		return name, (name == celtypes.Self || name == celtypes.OldSelf) && !slices.Contains(u.local, name)
	case ast.SelectKind:
		s := e.AsSelect()
		text, ok := u.path(s.Operand())
		return text + "." + s.FieldName(), ok
	}
	return "", false
}

func children(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			return append([]ast.Expr{c.Target()}, c.Args()...)
		}
		return c.Args()
	case ast.MapKind:
		var out []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			out = append(out, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return out
	case ast.StructKind:
		var out []ast.Expr
		for _, f := range e.AsStruct().Fields() {
			out = append(out, f.AsStructField().Value())
		}
		return out
	}
	return nil
}
