package celcond

import (
	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A summand is the size of a field of one element of a list, 0 if there is no such element.
type summand struct {
	name    string // of the field
	guarded bool   // 0 if the field is absent, too
}

// boundedSum returns a condition on which a comparison surely holds: a sum of the sizes
// of a field in elements with fixed indices, such as
//
//	(self.size() > 0 ? self[0].f.size() : 0) + (self.size() > 1 ? self[1].f.size() : 0) <= 16
//
// holds if no element has more than its share. It returns False for other comparisons.
func (x *translation) boundedSum(a, b ast.Expr, orders search.Mask, sc scope) *search.Cond {
	limit, _ := constantOf(b)
	most, ok := limit.(int64)
	if orders == search.Less {
		most--
	}
	if !ok || orders&(search.Less|search.Greater) != search.Less || sc.node.Kind() != schema.KindArray {
		return search.False
	}
	summands, ok := x.summands(a, sc)
	if !ok || most < 0 {
		return search.False
	}
	share := most / int64(len(summands))
	var parts []*search.Cond
	for _, s := range summands {
		c := x.field(sc.node.Items(), s.name, strictNot(search.Array, search.MinItems(share+1)))
		if s.guarded {
			absent := search.Not(x.field(sc.node.Items(), s.name, search.True))
			c = search.Or(c, search.And(search.Types(search.Object), absent))
		}
		parts = append(parts, c)
	}
	return search.And(search.Types(search.Array), search.EveryItem(search.And(parts...)))
}

// summands returns the summands of a sum.
func (x *translation) summands(e ast.Expr, sc scope) ([]summand, bool) {
	if e.Kind() != ast.CallKind {
		return nil, false
	}
	switch c := e.AsCall(); c.FunctionName() {
	case "_+_":
		left, okA := x.summands(c.Args()[0], sc)
		right, okB := x.summands(c.Args()[1], sc)
		return append(left, right...), okA && okB
	case "_?_:_":
		index, ok := hasIndex(c.Args()[0], sc)
		if !ok || !isZero(c.Args()[2]) {
			return nil, false
		}
		s, ok := x.sizeAt(c.Args()[1], index, sc)
		return []summand{s}, ok
	}
	return nil, false
}

// hasIndex returns the index of the element that a list has if self.size() > index holds.
func hasIndex(e ast.Expr, sc scope) (int64, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "_>_" {
		return 0, false
	}
	args := e.AsCall().Args()
	limit, _ := constantOf(args[1])
	index, ok := limit.(int64)
	of, sized := sizeOf(args[0])
	return index, ok && index >= 0 && sized && of.Kind() == ast.IdentKind && of.AsIdent() == sc.name
}

func isZero(e ast.Expr) bool {
	v, _ := constantOf(e)
	return v == int64(0)
}

// sizeOf returns the operand of size.
func sizeOf(e ast.Expr) (ast.Expr, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "size" {
		return nil, false
	}
	c := e.AsCall()
	if c.IsMemberFunction() {
		return c.Target(), len(c.Args()) == 0
	}
	return c.Args()[0], len(c.Args()) == 1
}

// sizeAt reads self[index].f.size(), or has(self[index].f) ? self[index].f.size() : 0.
func (x *translation) sizeAt(e ast.Expr, index int64, sc scope) (summand, bool) {
	if of, ok := sizeOf(e); ok {
		name, ok := fieldAt(of, index, false, sc)
		return summand{name: name}, ok && sc.node.Items().Property(name).Kind() == schema.KindArray
	}
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "_?_:_" {
		return summand{}, false
	}
	args := e.AsCall().Args()
	tested, ok := fieldAt(args[0], index, true, sc)
	s, sized := x.sizeAt(args[1], index, sc)
	s.guarded = true
	return s, ok && sized && tested == s.name && isZero(args[2])
}

// fieldAt returns the field f of self[index].f, or of has(self[index].f).
func fieldAt(e ast.Expr, index int64, tested bool, sc scope) (string, bool) {
	if e.Kind() != ast.SelectKind || e.AsSelect().IsTestOnly() != tested || e.AsSelect().Operand().Kind() != ast.CallKind {
		return "", false
	}
	c := e.AsSelect().Operand().AsCall()
	if c.FunctionName() != "_[_]" || len(c.Args()) != 2 || c.Args()[0].Kind() != ast.IdentKind || c.Args()[0].AsIdent() != sc.name {
		return "", false
	}
	v, _ := constantOf(c.Args()[1])
	return unescaped(e.AsSelect().FieldName()), v == index
}
