package celtypes

import (
	"strings"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// The checker of cel-go goes on after an error. What is wrong has the type of errors, which
// fits all others, so that one mistake is told once. The functions here give the errors
// that the inference finds the words of cel-go.

// A typeError is an error at a node.
type typeError struct {
	id   int64
	text string
}

// wrong notes an error at a node, and returns the type of errors.
func (t *inference) wrong(e ast.Expr, text string) *types.Type {
	t.errs = append(t.errs, typeError{e.ID(), text})
	return types.ErrorType
}

func (t *inference) undeclared(e ast.Expr, name string) *types.Type {
	return t.wrong(e, "undeclared reference to '"+name+"' (in container '')")
}

func (t *inference) mismatch(e ast.Expr, want, is *types.Type) {
	t.wrong(e, "expected type '"+checker.FormatCELType(want)+"' but found '"+checker.FormatCELType(is)+"'")
}

// noOverload notes that no overload of a call matches its arguments, of which the first one
// is the target.
func (t *inference) noOverload(e ast.Expr, args []*types.Type) *types.Type {
	c := e.AsCall()
	text := "found no matching overload for '" + c.FunctionName() + "' applied to '"
	if c.IsMemberFunction() {
		text, args = text+checker.FormatCELType(args[0])+".", args[1:]
	}
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = checker.FormatCELType(a)
	}
	return t.wrong(e, text+"("+strings.Join(names, ", ")+")'")
}

// assert notes an error if e does not have a type. It returns false if cel-go has to infer
// the types.
func (t *inference) assert(e ast.Expr, want *types.Type) bool {
	is := t.expr(e)
	switch {
	case is == nil:
		return false
	case sameType(is, want), is == types.ErrorType, want == types.ErrorType:
		return true
	case isLoose(is), isLoose(want):
		return false
	}
	t.mismatch(e, want, is)
	return true
}

// declared reports whether a name may be that of a variable, a type or a constant.
func (t *inference) declared(name string) bool {
	if name == Self || name == OldSelf || strings.HasPrefix(name, ".") {
		return true
	}
	for _, v := range t.vars {
		if v.name == name {
			return true
		}
	}
	p := t.scope.types
	if _, ok := p.FindIdent(name); ok {
		return true
	}
	_, ok := p.FindStructType(name)
	return ok || p.EnumValue(name).Type() != types.ErrType
}

// qualifiedName returns the qualified name that a selection, or a name, may be, "" if it is
// none.
func (t *inference) qualifiedName(e ast.Expr) string {
	name := ""
	for e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly() {
		name = "." + e.AsSelect().FieldName() + name
		e = e.AsSelect().Operand()
	}
	if e.Kind() != ast.IdentKind || !t.roots[e.AsIdent()] {
		return ""
	}
	return e.AsIdent() + name
}
