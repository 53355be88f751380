package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cellib"
	"github.com/crdkit/crdkit/internal/celvalue"
)

// This file compiles loops. The macros all, exists, exists_one, filter and map
// expand to folds and are recognized by them. The constants are the costs of each
// fold per step.
const (
	resultCost = 1 // the accumulator

	allStep, allStop       = 3, 2
	existsStep, existsStop = 4, 3
	oneHit, oneResult      = 2, 2
	mapCost, mapKnownCost  = 12, 2
)

// loop compiles a comprehension.
func (x *compiler) loop(c ast.ComprehensionExpr) operand {
	if isBind(c) {
		return x.bind(c)
	}
	over := x.expr(c.IterRange())
	if x.why != "" {
		return operand{}
	}
	if x.loops >= maxVariables {
		return x.refuse("deep nesting of comprehensions")
	}
	outer, slot := len(x.vars), x.loops
	key, v, each := x.variables(over, slot, c.HasIterVar2())
	if c.HasIterVar2() {
		x.vars = append(x.vars, local{name: c.IterVar(), operand: key}, local{name: c.IterVar2(), operand: v})
	} else {
		x.vars = append(x.vars, local{name: c.IterVar(), operand: v})
	}
	if x.why != "" {
		return operand{}
	}
	x.loops++
	x.highest = max(x.highest, x.loops)
	defer func() { x.vars, x.loops = x.vars[:outer], slot }()
	if cond, value, entry := inserted(c); value != nil || entry != nil {
		return x.transformMap(over, x.vars[outer].operand, each, cond, value, entry)
	}
	macro, body, value := macroOf(c)
	if macro == "filter" && c.HasIterVar2() {
		macro = "map of some"
	}
	switch macro {
	case "all", "exists":
		return x.quantifier(over, each, x.expr(body), macro == "exists")
	case "exists_one":
		return x.existsOne(over, each, x.expr(body))
	case "filter":
		return x.collect(over, each, x.expr(body), v, mapCost)
	case "map":
		return x.collect(over, each, operand{}, x.expr(value), mapCost)
	case "map of some":
		return x.collect(over, each, x.expr(body), x.expr(value), mapCost)
	}
	return x.refuse("comprehension")
}

// A rangeFunc calls step for each element until step returns false.
type rangeFunc func(f *Frame, step func(*Frame) bool)

// variables returns the variables of a loop and the loop. For two variables key
// is the index or key, and v the element. For one, key is not set.
func (x *compiler) variables(over operand, slot int, two bool) (key, v operand, each rangeFunc) {
	name := operand{cost: 1, attr: true, value: as(kindString, func(f *Frame) string { return f.vars[slot].name })}
	element := func(declared *celvalue.DeclaredType) operand {
		return x.typed(operand{cost: 1, attr: true, declared: declared, raw: func(f *Frame) any { return f.vars[slot].raw }})
	}
	switch texts := closureOf[[]string](over); {
	case over.kind() == kindRaw && over.declared.IsList():
		key = operand{cost: 1, attr: true, value: as(kindInt, func(f *Frame) int64 { return f.vars[slot].index })}
		return key, element(over.declared.Items), listRange(over.elements(), slot)
	case over.isMap() && two:
		return name, element(over.declared.Values), mapRange(over, slot)
	case two:
		x.refuse("comprehension with two variables over " + kindName(over))
	case over.isMap():
		return key, name, mapRange(over, slot)
	case texts != nil:
		return key, name, stringsRange(texts, slot)
	case over.kind() == kindBox && over.items != nil:
		v = x.typed(operand{cost: 1, attr: true, declared: over.items, raw: func(f *Frame) any { return celvalue.RawObject(f.vars[slot].box) }})
		return key, v, boxRange(over.box, slot)
	case over.kind() == kindBox && (over.typ.Kind() == types.ListKind || over.typ.Kind() == types.MapKind):
		v = x.unbox(over.typ.Parameters()[0], operand{cost: 1, attr: true, box: func(f *Frame) ref.Val { return f.checked(f.vars[slot].box) }})
		return key, v, boxRange(over.box, slot)
	default:
		x.refuse("comprehension over " + kindName(over))
	}
	return operand{}, operand{}, nil
}

// listRange loops over a list of the object.
func listRange(list listFunc, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		f.looped = true
		l := list(f)
		if f.failed {
			return
		}
		for i, e := range l {
			f.vars[slot].index, f.vars[slot].raw = int64(i), e
			if !step(f) {
				return
			}
		}
	}
}

// mapRange loops over a map of the object, in increasing order of keys.
func mapRange(over operand, slot int) rangeFunc {
	object, what, operandID := over.raw, over.absent, over.id
	return func(f *Frame, step func(*Frame) bool) {
		raw := object(f)
		m, ok := raw.(map[string]any)
		if !ok {
			f.failRead(raw, what, operandID)
			return
		}
		f.looped = true
		from := len(f.names)
		for name := range m {
			f.names = append(f.names, name)
		}
		names := f.names[from:]
		for f.sortNames(names); len(names) > 0 && !f.failed; names = names[1:] {
			f.vars[slot].name, f.vars[slot].raw = names[0], m[names[0]]
			if !step(f) {
				break
			}
		}
		f.names = f.names[:from]
	}
}

func stringsRange(texts func(*Frame) []string, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		list := texts(f)
		if f.failed {
			return
		}
		f.looped = true
		for _, text := range list {
			f.vars[slot].name = text
			if !step(f) {
				return
			}
		}
	}
}

// boxRange loops over the elements of a boxed list or the keys of a boxed map.
func boxRange(box func(*Frame) ref.Val, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		v, ok := box(f).(traits.Iterable)
		if m, isMap := v.(traits.Mapper); isMap {
			v = cellib.OrderedMap(m)
		}
		switch {
		case f.failed:
			return
		case !ok:
			f.decline()
			return
		}
		f.looped = true
		for it := v.Iterator(); it.HasNext() == types.True; {
			f.vars[slot].box = it.Next()
			if !step(f) {
				return
			}
		}
	}
}

// isMap reports whether an operand is a map of the object.
func (o operand) isMap() bool {
	return o.kind() == kindRaw && o.declared.Kind == celvalue.KindObject && o.declared.Props == nil && o.declared.Values != nil
}

// quantifier compiles all and exists.
func (x *compiler) quantifier(over operand, each rangeFunc, p operand, exists bool) operand {
	test := x.bool(p)
	step, stop := p.cost+allStep, uint64(allStop)
	if exists {
		step, stop = p.cost+existsStep, existsStop
	}
	if x.why != "" {
		return operand{}
	}
	operandID, own := p.id, x.identity()
	// A decisive element ends the loop when the next element is reached. A failed
	// element does not end it, and is ignored if another one is decisive.
	one := func(f *Frame) bool {
		if f.decided {
			f.cost += stop
			return false
		}
		f.cost += step
		v := test(f)
		if f.failed {
			what := f.takeError(operandID)
			if f.pending == nil {
				f.pending = what
			}
			return what != nil && f.step()
		}
		f.decided = v == exists
		return f.step()
	}
	return operand{cost: over.cost + resultCost, id: own, value: as(kindBool, func(f *Frame) bool {
		outer, pending := f.decided, f.pending
		f.decided, f.pending = false, nil
		each(f, one)
		decided, what := f.decided, f.pending
		f.decided, f.pending = outer, pending
		switch {
		case f.failed:
			f.noRange(over.id, own, resultCost)
		case what != nil && !decided:
			f.fail(what, own)
		}
		return decided == exists
	})}
}

// noRange makes a loop fail whose range failed. Its result is not paid for.
func (f *Frame) noRange(over, own identity, result uint64) {
	f.cost -= result
	f.propagate(over, own)
}

func (x *compiler) existsOne(over operand, each rangeFunc, p operand) operand {
	test, cost := x.bool(p), p.cost
	if x.why != "" {
		return operand{}
	}
	operandID, own := p.id, x.identity()
	// The first failed element makes the count fail. The error is that of the
	// last one.
	one := func(f *Frame) bool {
		f.cost += cost
		hit := test(f)
		if f.failed {
			f.pending = f.takeError(operandID)
			return f.pending != nil && f.step()
		}
		if hit {
			f.cost += oneHit
			f.hits++
		}
		return f.step()
	}
	return operand{cost: over.cost + oneResult, id: own, value: as(kindBool, func(f *Frame) bool {
		outer, pending := f.hits, f.pending
		f.hits, f.pending = 0, nil
		each(f, one)
		hits, what := f.hits, f.pending
		f.hits, f.pending = outer, pending
		switch {
		case f.failed:
			f.noRange(over.id, own, oneResult)
		case what != nil:
			f.fail(what, own)
		}
		return hits == 1
	})}
}

// macroOf returns the macro that a comprehension was expanded from, with its
// condition and value.
func macroOf(c ast.ComprehensionExpr) (macro string, cond, value ast.Expr) {
	accu, step := c.AccuVar(), c.LoopStep()
	init := c.AccuInit()
	switch {
	case isLiteral(init, types.True) && isCall(step, operators.LogicalAnd, 2) && isIdent(arg(step, 0), accu) &&
		isCall(c.LoopCondition(), operators.NotStrictlyFalse, 1) && isIdent(arg(c.LoopCondition(), 0), accu) && isIdent(c.Result(), accu):
		return "all", arg(step, 1), nil
	case isLiteral(init, types.False) && isCall(step, operators.LogicalOr, 2) && isIdent(arg(step, 0), accu) &&
		isCall(c.LoopCondition(), operators.NotStrictlyFalse, 1) && isCall(arg(c.LoopCondition(), 0), operators.LogicalNot, 1) &&
		isIdent(arg(arg(c.LoopCondition(), 0), 0), accu) && isIdent(c.Result(), accu):
		return "exists", arg(step, 1), nil
	case !isLiteral(c.LoopCondition(), types.True):
		return "", nil, nil
	case isLiteral(init, types.IntZero) && isCall(step, operators.Conditional, 3) && isIdent(arg(step, 2), accu) &&
		isCall(arg(step, 1), operators.Add, 2) && isIdent(arg(arg(step, 1), 0), accu) && isLiteral(arg(arg(step, 1), 1), types.IntOne) &&
		isCall(c.Result(), operators.Equals, 2) && isIdent(arg(c.Result(), 0), accu) && isLiteral(arg(c.Result(), 1), types.IntOne):
		return "exists_one", arg(step, 0), nil
	case init.Kind() != ast.ListKind || init.AsList().Size() != 0 || !isIdent(c.Result(), accu):
		return "", nil, nil
	}
	if e := appended(step, accu); e != nil {
		return "map", nil, e
	}
	if !isCall(step, operators.Conditional, 3) || !isIdent(arg(step, 2), accu) {
		return "", nil, nil
	}
	e := appended(arg(step, 1), accu)
	switch {
	case e == nil:
		return "", nil, nil
	case isIdent(e, c.IterVar()):
		return "filter", arg(step, 0), e
	}
	return "map of some", arg(step, 0), e
}

// appended returns e if step is accu + [e], and nil otherwise.
func appended(step ast.Expr, accu string) ast.Expr {
	if !isCall(step, operators.Add, 2) || !isIdent(arg(step, 0), accu) {
		return nil
	}
	list := arg(step, 1)
	if list.Kind() != ast.ListKind || list.AsList().Size() != 1 || len(list.AsList().OptionalIndices()) > 0 {
		return nil
	}
	return list.AsList().Elements()[0]
}

func arg(e ast.Expr, i int) ast.Expr { return e.AsCall().Args()[i] }

func isCall(e ast.Expr, name string, args int) bool {
	return e.Kind() == ast.CallKind && !e.AsCall().IsMemberFunction() && e.AsCall().FunctionName() == name && len(e.AsCall().Args()) == args
}

func isIdent(e ast.Expr, name string) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == name }

func isLiteral(e ast.Expr, v ref.Val) bool {
	return e.Kind() == ast.LiteralKind && e.AsLiteral().Type() == v.Type() && e.AsLiteral().Equal(v) == types.True
}
