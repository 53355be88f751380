package celcond

import (
	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// unique translates a rule that all elements of a list of strings differ, or that the
// strings in a field of them do, in one of the forms
//
//	self.all(a, self.exists_one(b, a == b))
//	self.all(a, size(self.filter(b, b.name == a.name)) < 2)
//	size(self.filter(a, size(self.filter(b, a == b)) > 1)) == 0
func (x *translation) unique(e ast.Expr, sc scope) (verdict, bool) {
	macro, wanted := e, true
	if left, right, ok := operands(e, "_==_"); ok && isZero(right) {
		if of, sized := sizeOf(left); sized {
			macro, wanted = of, false
		}
	}
	list, name, body, ok := macroOf(macro, map[bool]string{true: "all", false: "filter"}[wanted])
	if !ok {
		return verdict{}, false
	}
	key, ok := alone(body, list, name, wanted)
	p, found := x.path(list, sc)
	if !ok || !found || p.node.Kind() != schema.KindArray {
		return verdict{}, false
	}
	element, keys, present := p.node.Items(), []string(nil), search.Types(search.Array)
	if key != "" && !element.Nullable() {
		keys, present = []string{key}, search.And(present, search.EveryItem(search.At(key, search.True)))
		element = element.Property(key)
	}
	if mask, known := comparable(element); !known || mask != search.String || element.Nullable() {
		return verdict{}, false
	}
	distinct := search.Distinct(keys...)
	return verdict{
		x.at(p, search.And(present, distinct)),
		x.at(p, search.And(present, search.Not(distinct))),
	}, true
}

// operands returns the first and the last operand of a call of a function.
func operands(e ast.Expr, function string) (first, last ast.Expr, ok bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != function {
		return nil, nil, false
	}
	args := e.AsCall().Args()
	return args[0], args[len(args)-1], true
}

// macroOf returns the list, the variable and the body of a call of a macro.
func macroOf(e ast.Expr, name string) (list ast.Expr, variable string, body ast.Expr, ok bool) {
	if e.Kind() != ast.CallKind {
		return nil, "", nil, false
	}
	c := e.AsCall()
	if !c.IsMemberFunction() || c.FunctionName() != name || len(c.Args()) != 2 || c.Args()[0].Kind() != ast.IdentKind {
		return nil, "", nil, false
	}
	variable = c.Args()[0].AsIdent()
	return c.Target(), variable, c.Args()[1], !uses(c.Target(), variable)
}

// alone reports whether an expression holds if and only if no other element of a list
// equals the value of a variable, or if wanted is false, if another one does. The key is
// the field that is compared, "" for whole elements.
func alone(e, list ast.Expr, variable string, wanted bool) (key string, ok bool) {
	if inner, _, ok := operands(e, "!_"); ok {
		return alone(inner, list, variable, !wanted)
	}
	of, other, body, ok := macroOf(e, "exists_one")
	ok = ok && wanted
	if !ok && e.Kind() == ast.CallKind && len(e.AsCall().Args()) == 2 {
		counted, sized := sizeOf(e.AsCall().Args()[0])
		if limit, _ := constantOf(e.AsCall().Args()[1]); !sized || !countsOne(e.AsCall().FunctionName(), limit, wanted) {
			return "", false
		}
		of, other, body, ok = macroOf(counted, "filter")
	}
	if !ok || other == variable || Text(of) != Text(list) {
		return "", false
	}
	a, b, ok := operands(body, "_==_")
	if !ok {
		return "", false
	}
	keyA, okA := keyOf(a, variable)
	keyB, okB := keyOf(b, other)
	if !okA {
		keyA, okA = keyOf(a, other)
		keyB, okB = keyOf(b, variable)
	}
	return keyA, okA && okB && keyA == keyB
}

// countsOne reports whether a comparison with a limit holds for 1 and for no larger
// number, or if wanted is false, for all larger numbers but not for 1.
func countsOne(operator string, limit any, wanted bool) bool {
	switch operator {
	case "_==_", "_<=_":
		return wanted && limit == int64(1)
	case "_<_":
		return wanted && limit == int64(2)
	case "_!=_", "_>_":
		return !wanted && limit == int64(1)
	case "_>=_":
		return !wanted && limit == int64(2)
	}
	return false
}

// keyOf returns the field that an expression selects from a variable, "" for the variable
// itself.
func keyOf(e ast.Expr, variable string) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return "", e.AsIdent() == variable
	case ast.SelectKind:
		s := e.AsSelect()
		of := s.Operand()
		return unescaped(s.FieldName()), !s.IsTestOnly() && of.Kind() == ast.IdentKind && of.AsIdent() == variable
	}
	return "", false
}
