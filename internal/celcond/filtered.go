package celcond

import (
	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/satisfy"
	"github.com/crdkit/crdkit/schema"
)

// boundedFilter returns a condition on which a comparison surely holds: the size of a
// filtered list, such as
//
//	self.filter(f, f.type == 'A').size() <= 1
//
// is within the limit if the list is, or if the filter keeps no element. It returns False
// for other comparisons.
func (x *translation) boundedFilter(a, b ast.Expr, orders satisfy.Mask, sc scope) *satisfy.Cond {
	limit, _ := constantOf(b)
	most, ok := limit.(int64)
	if orders == satisfy.Less {
		most--
	}
	if !ok || most < 0 || orders&satisfy.Greater != 0 || orders == satisfy.Same && most > 0 {
		return satisfy.False
	}
	of, ok := sizeOf(a)
	if !ok {
		return satisfy.False
	}
	list, name, body, ok := macroOf(of, "filter")
	if !ok {
		return satisfy.False
	}
	p, ok := x.path(list, sc)
	if !ok || p.node.Kind() != schema.KindArray || p.node.Items() == nil {
		return satisfy.False
	}
	inner := &translation{Translator: x.Translator, changed: x.changed}
	v := inner.boolean(body, scope{name: name, node: p.node.Items(), prefix: append(sc.below(p), Items), outer: &sc})
	few := satisfy.And(strictNot(satisfy.Array, satisfy.MinItems(most+1)), satisfy.EveryItem(satisfy.Or(v.holds, v.fails)))
	return x.at(p, satisfy.Or(few, satisfy.And(satisfy.Types(satisfy.Array), satisfy.EveryItem(v.fails))))
}

// evaluated returns what is true of a value if a comparison of it does not end with an
// error: a text that the comparison converts to a duration has the format.
func (x *translation) evaluated(e ast.Expr, sc scope) *satisfy.Cond {
	if e.Kind() != ast.CallKind || comparisons[e.AsCall().FunctionName()] == 0 {
		return satisfy.True
	}
	var parts []*satisfy.Cond
	for _, arg := range e.AsCall().Args() {
		text, _, ok := operands(arg, "duration")
		if !ok {
			continue
		}
		p, ok := x.path(text, sc)
		if mask, _ := comparable(p.node); ok && mask == satisfy.String && !p.node.IntOrString() {
			parts = append(parts, x.at(p, satisfy.Format("duration")))
		}
	}
	return satisfy.And(parts...)
}
