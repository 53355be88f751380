package celcond

import (
	"math"
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A filter is a macro that counts the elements of a list for which its body holds.
type filter struct {
	list path
	body verdict // on an element
	name string  // the same for the same list and body
}

// filter returns the filter of a call of a macro.
func (x *translation) filter(e ast.Expr, macro string, sc scope) (filter, bool) {
	list, variable, body, ok := macroOf(e, macro)
	if !ok {
		return filter{}, false
	}
	p, ok := x.path(list, sc)
	if !ok || p.node.Kind() != schema.KindArray || p.node.Items() == nil || readable(p.node.Items()) != search.True {
		return filter{}, false // filter reads the elements that it keeps
	}
	inner := &translation{Translator: x.Translator, changed: x.changed}
	v := inner.boolean(body, scope{name: variable, node: p.node.Items(), prefix: append(sc.below(p), Items), outer: &sc})
	return filter{p, v, Text(list) + ", " + variable + ": " + Text(body)}, true
}

// keepsAtMost returns a condition on which a filter surely keeps at most so many elements:
// the list has no more, or the filter keeps none.
func (x *translation) keepsAtMost(f filter, most int64) *search.Cond {
	few := search.And(strictNot(search.Array, search.MinItems(most+1)), search.EveryItem(search.Or(f.body.holds, f.body.fails)))
	return x.at(f.list, search.Or(few, search.And(search.Types(search.Array), search.EveryItem(f.body.fails))))
}

// boundedFilter returns a condition on which a comparison surely holds: the size of a
// filtered list, such as
//
//	self.filter(f, f.type == 'A').size() < 3
//
// is within the limit if the list is, or if the filter keeps no element. It returns False
// for other comparisons.
func (x *translation) boundedFilter(a, b ast.Expr, orders search.Mask, sc scope) *search.Cond {
	limit, _ := constantOf(b)
	most, ok := limit.(int64)
	if ok = ok && most >= 0 && most < math.MaxInt64; orders == search.Less {
		most--
	}
	of, sized := sizeOf(a)
	if !ok || !sized || most < 0 || orders&search.Greater != 0 || orders == search.Same && most > 0 {
		return search.False
	}
	f, ok := x.filter(of, "filter", sc)
	if !ok {
		return search.False
	}
	return x.keepsAtMost(f, most)
}

// atMostOne translates two expressions that are true if at most one element of a list
// satisfies a condition, or exactly one does:
//
//	self.filter(f, f.type == 'A').size() <= 1
//	self.exists_one(f, f.type == 'A')
//
// Both have the same opaque condition, so that a rule in one form implies one in the other.
func (x *translation) atMostOne(e ast.Expr, sc scope) (verdict, bool) {
	if sc.outer != nil || sc.update != nil {
		return verdict{}, false // see Count
	}
	f, exactly := x.filter(e, "exists_one", sc)
	if c := e.AsCall(); !exactly && comparisons[c.FunctionName()] != 0 {
		of, sized := sizeOf(c.Args()[0])
		limit, _ := constantOf(c.Args()[1])
		if !sized || c.FunctionName() == "_==_" || !countsOne(c.FunctionName(), limit, true) {
			return verdict{}, false
		}
		var ok bool
		if f, ok = x.filter(of, "filter", sc); !ok {
			return verdict{}, false
		}
	} else if !exactly {
		return verdict{}, false
	}
	name := sc.name + ": at most one of " + f.name
	if x.changed != nil && slices.ContainsFunc(reads(e, sc.bound()), x.changed) {
		name += distinct
	}
	sure := x.keepsAtMost(f, 1)
	v := verdict{search.Or(sure, search.Opaque(name, search.Holds)), search.And(search.Not(sure), search.Opaque(name, search.Fails))}
	if exactly {
		none := x.at(f.list, search.And(search.Types(search.Array), search.EveryItem(f.body.fails)))
		v = verdict{search.And(v.holds, x.at(f.list, search.SomeItem(f.body.holds))), search.Or(v.fails, none)}
	}
	return v, true
}

// evaluated returns what is true of a value if a comparison of it does not end with an
// error: a text that the comparison converts to a duration has the format.
func (x *translation) evaluated(e ast.Expr, sc scope) *search.Cond {
	if e.Kind() != ast.CallKind || comparisons[e.AsCall().FunctionName()] == 0 {
		return search.True
	}
	var parts []*search.Cond
	for _, arg := range e.AsCall().Args() {
		text, _, ok := operands(arg, "duration")
		if !ok {
			continue
		}
		p, ok := x.path(text, sc)
		if mask, _ := comparable(p.node); ok && mask == search.String && !p.node.IntOrString() {
			parts = append(parts, x.at(p, search.Format("duration")))
		}
	}
	return search.And(parts...)
}
