package celcond

import (
	"math"
	"slices"

	"github.com/google/cel-go/common/ast"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A filter counts the elements of a list for which the body of a macro holds.
type filter struct {
	list path
	body verdict // of an element
	name string  // equal for the same list and body
}

func (x *translation) filter(e ast.Expr, macro string, sc scope) (filter, bool) {
	list, variable, body, ok := macroOf(e, macro)
	if !ok {
		return filter{}, false
	}
	p, ok := x.path(list, sc)
	if !ok || p.node.Kind() != schema.KindArray || p.node.Items() == nil || readable(p.node.Items()) != search.True {
		return filter{}, false // an element may be unreadable
	}
	inner := &translation{Translator: x.Translator, changed: x.changed}
	v := inner.boolean(body, scope{name: variable, node: p.node.Items(), prefix: append(sc.below(p), Items), outer: &sc})
	return filter{p, v, Text(list) + ", " + variable + ": " + Text(body)}, true
}

// keepsAtMost returns a sufficient condition for filter(...).size() <= most: list.size() <= most,
// or the filter keeps no element.
func (x *translation) keepsAtMost(f filter, most int64) *search.Cond {
	few := search.And(strictNot(search.Array, search.MinItems(most+1)), search.EveryItem(search.Or(f.body.holds, f.body.fails)))
	return x.at(f.list, search.Or(few, search.And(search.Types(search.Array), search.EveryItem(f.body.fails))))
}

// boundedFilter returns a sufficient condition for a comparison of the size of a filtered list,
// such as
//
//	self.filter(f, f.type == 'A').size() < 3
//
// The condition is that the unfiltered list satisfies the comparison, or that the filter keeps no
// element. For other forms of comparisons, boundedFilter returns False.
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

// atMostOne translates an expression that is true if at most, or exactly, one element satisfies a
// condition:
//
//	self.filter(f, f.type == 'A').size() <= 1
//	self.exists_one(f, f.type == 'A')
//
// Both examples get the same opaque condition. So the second one implies the first.
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
		name += changedSuffix
	}
	sure := x.keepsAtMost(f, 1)
	v := verdict{search.Or(sure, search.Opaque(name, search.Holds)), search.And(search.Not(sure), search.Opaque(name, search.Fails))}
	if exactly {
		none := x.at(f.list, search.And(search.Types(search.Array), search.EveryItem(f.body.fails)))
		v = verdict{search.And(v.holds, x.at(f.list, search.SomeItem(f.body.holds))), search.Or(v.fails, none)}
	}
	return v, true
}

// evaluated returns a condition that holds if a comparison has no error: every text in
// duration(text) is a duration.
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
		if mask, known := comparable(p.node); ok && known && mask == search.String {
			parts = append(parts, x.at(p, search.Format("duration")))
		}
	}
	return search.And(parts...)
}

// A Count is a macro exists_one in the body of a macro over the same list, such as
//
//	self.all(a, self.exists_one(b, b.name == a.name))
//
// The exists_one becomes an opaque condition. Two Counts are equal if their bodies have the same
// result for every a and b.
type Count struct {
	// Name is the name of the opaque condition.
	Name string
	// List is the path from the value of the rule to the list.
	List []string
	// Holds and Fails are the conditions of the body for an object with two members: [First] is the
	// element a, and [Second] is the element b.
	Holds, Fails *search.Cond
}

// Members of the object for the body of a [Count].
const (
	First  = "first"
	Second = "second"
)

// SetKnown sets a function that returns the name of another [Count] that equals c and was evaluated
// on the same value. Then c has the same result. A nil function knows no equal Count.
func (t *Translator) SetKnown(known func(c Count) (name string, ok bool)) { t.known = known }

// count returns the Count of an expression about an element of a list.
func (x *translation) count(e ast.Expr, name string, sc scope) (Count, bool) {
	if e.Kind() != ast.CallKind || sc.outer == nil || sc.outer.outer != nil || sc.outer.update != nil || sc.list != nil {
		return Count{}, false
	}
	c := e.AsCall()
	if c.FunctionName() != "exists_one" || !isQuantifier(c) {
		return Count{}, false
	}
	first, second := sc.name, c.Args()[0].AsIdent()
	list, ok := chain(c.Target(), sc.outer.bound())
	if !ok || first == second || first == Self || second == Self || !slices.Equal(append(slices.Clip(list), Items), sc.prefix) {
		return Count{}, false
	}
	if x.changed != nil && slices.ContainsFunc(reads(e, sc.bound()), x.changed) {
		return Count{}, false
	}
	body := &translation{Translator: x.Translator}
	v := body.boolean(c.Args()[1], scope{
		name: first + "," + second, update: &update{node: sc.node, members: map[string]string{first: First, second: Second}},
	})
	return Count{Name: name, List: list, Holds: v.holds, Fails: v.fails}, true
}

// orKnown returns the result of the Count that is known to equal c. If there is none, or if it ends
// with an error, orKnown returns v.
func (x *translation) orKnown(v verdict, c *Count) verdict {
	if x.known == nil {
		return v
	}
	name, ok := x.known(*c)
	if !ok {
		return v
	}
	by := func(truth search.Mask, otherwise *search.Cond) *search.Cond {
		return search.Or(search.Opaque(name, truth), search.And(search.Opaque(name, search.Errors), otherwise))
	}
	return verdict{by(search.Holds, v.holds), by(search.Fails, v.fails)}
}

// unique translates a rule that all strings of a list differ, or that all strings in a field of its
// elements differ:
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
	key, ok := noOtherEquals(body, list, name, wanted)
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

func operands(e ast.Expr, function string) (first, last ast.Expr, ok bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != function {
		return nil, nil, false
	}
	args := e.AsCall().Args()
	return args[0], args[len(args)-1], true
}

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

// noOtherEquals reports whether an expression says that no other element equals the variable. If
// wanted is false, the expression must say that another element equals it. key is the compared
// field, "" for whole elements.
func noOtherEquals(e, list ast.Expr, variable string, wanted bool) (key string, ok bool) {
	if inner, _, ok := operands(e, "!_"); ok {
		return noOtherEquals(inner, list, variable, !wanted)
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

// countsOne reports whether a comparison of a number with limit is true for 1 and false for larger
// numbers. If wanted is false, the comparison must be false for 1 and true for larger numbers.
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

// keyOf returns the field that an expression selects from a variable, "" for the variable itself.
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
