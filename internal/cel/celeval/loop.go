package celeval

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// Costs of a step of a fold, to which all, exists, exists_one, filter and map expand.
const (
	resultCost = 1 // the accumulator

	allStep, allStop       = 3, 2
	existsStep, existsStop = 4, 3
	oneHit, oneResult      = 2, 2
	mapCost, mapKnownCost  = 12, 2
)

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

func (o operand) isMap() bool {
	return o.kind() == kindRaw && o.declared.Kind == celvalue.KindObject && o.declared.Props == nil && o.declared.Values != nil
}

func (x *compiler) quantifier(over operand, each rangeFunc, p operand, exists bool) operand {
	p = x.condition(p)
	test := x.bool(p)
	step, stop := p.cost+allStep, uint64(allStop)
	if exists {
		step, stop = p.cost+existsStep, existsStop
	}
	if x.why != "" {
		return operand{}
	}
	// A decisive element ends the loop at the next step. It hides errors of other elements.
	one := func(f *Frame) bool {
		if f.decided {
			f.cost += stop
			return false
		}
		f.cost += step
		v := test(f)
		if f.failed {
			err := f.takeError()
			if f.pending == nil {
				f.pending = err
			}
			return f.step()
		}
		if f.decided = v == exists; f.decided {
			f.pending = nil
		}
		return f.step()
	}
	return operand{cost: over.cost + resultCost, value: as(kindBool, func(f *Frame) bool {
		outer := f.decided
		f.decided = false
		f.loop(each, one, resultCost)
		decided := f.decided
		f.decided = outer
		return decided == exists
	})}
}

// loop runs a loop, and fails if the body leaves an error in f.pending. If the range fails, the
// result costs nothing.
func (f *Frame) loop(each rangeFunc, body func(*Frame) bool, cost uint64) {
	outer := f.pending
	f.pending = nil
	each(f, body)
	err := f.pending
	f.pending = outer
	switch {
	case f.failed:
		f.cost -= cost
	case err != nil:
		f.fail(err)
	}
}

func (x *compiler) existsOne(over operand, each rangeFunc, p operand) operand {
	p = x.condition(p)
	test, cost := x.bool(p), p.cost
	if x.why != "" {
		return operand{}
	}
	// If the condition fails for several elements, the last error counts.
	one := func(f *Frame) bool {
		f.cost += cost
		hit := test(f)
		switch {
		case f.failed:
			f.pending = f.takeError()
		case hit:
			f.cost += oneHit
			f.hits++
		}
		return f.step()
	}
	return operand{cost: over.cost + oneResult, value: as(kindBool, func(f *Frame) bool {
		outer := f.hits
		f.hits = 0
		f.loop(each, one, oneResult)
		hits := f.hits
		f.hits = outer
		return hits == 1
	})}
}

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

// appended returns e if step is the expression accu + [e], else nil.
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

// optMap, optFlatMap and sortBy name a value. They expand to a comprehension over an empty list,
// with the value as accumulator. The value is evaluated, and paid for, at its first use.

// isBind reports whether a comprehension only names a value.
func isBind(c ast.ComprehensionExpr) bool {
	r := c.IterRange()
	return !c.HasIterVar2() && r.Kind() == ast.ListKind && r.AsList().Size() == 0 && isLiteral(c.LoopCondition(), types.False)
}

func (x *compiler) bind(c ast.ComprehensionExpr) operand {
	slot := x.loops
	if slot >= maxVariables {
		return x.refuse("deep nesting of comprehensions")
	}
	defer func() { x.loops = slot }()
	// The value is evaluated at its first use, maybe in a loop of the body. Loops in the body
	// and the value must not share slots.
	highest := x.highest
	x.deeper(slot + 1)
	v := x.expr(c.AccuInit())
	x.loops, x.highest = x.highest, max(x.highest, highest)
	if x.why != "" {
		return operand{}
	}
	outer := len(x.vars)
	x.vars = append(x.vars, local{name: c.AccuVar(), operand: x.bound(v, slot)})
	body := x.expr(c.Result())
	x.vars = x.vars[:outer]
	if x.why != "" {
		return operand{}
	}
	out := withBefore(body, func(f *Frame) {
		f.vars[slot].known = false
	})
	out.cost = body.cost
	return out
}

// deeper sets the number of loops around the next expression.
func (x *compiler) deeper(loops int) {
	x.loops, x.highest = loops, loops
}

// bound returns a variable with the value v. It declines an empty list or map, because cel-go
// copies it and + changes the copy.
func (x *compiler) bound(v operand, slot int) operand {
	cost := v.cost
	out := operand{cost: 1, attr: true}
	if v.raw != nil && !v.declared.Made {
		raw := v.raw
		out.declared = v.declared
		out.raw = func(f *Frame) any {
			b := &f.vars[slot]
			if b.reads(f) {
				f.pay(cost)
				if b.raw = raw(f); !f.failed && isEmpty(b.raw) {
					f.decline()
				}
				b.known, b.err = true, f.evalErr
			}
			return b.raw
		}
		return x.typed(out)
	}
	box := x.boxed(v)
	out.typ = v.typ
	out.box = func(f *Frame) ref.Val {
		b := &f.vars[slot]
		if b.reads(f) {
			f.pay(cost)
			if b.box = box(f); !f.failed && isEmpty(b.box) {
				f.decline()
			}
			b.known, b.err = true, f.evalErr
		}
		return b.box
	}
	return x.unbox(v.typ, out)
}

// isEmpty reports whether a raw or boxed value is an empty list or map.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	case traits.Lister:
		return v.Size() == types.IntZero
	case traits.Mapper:
		return v.Size() == types.IntZero
	}
	return false
}

// reads reports whether b must be evaluated first. If b has an error, f fails with it.
func (b *variable) reads(f *Frame) bool {
	if b.known && b.err != nil {
		f.fail(b.err)
	}
	return !b.known
}

// A rangeFunc calls step for each element until step returns false.
type rangeFunc func(f *Frame, step func(*Frame) bool)

// variables returns the variables of a loop, and the loop. key is only set with two variables.
func (x *compiler) variables(over operand, slot int, two bool) (key, v operand, each rangeFunc) {
	name := operand{cost: 1, attr: true, value: as(kindString, func(f *Frame) string { return f.vars[slot].name })}
	element := func(declared *celvalue.DeclaredType) operand {
		return x.typed(operand{cost: 1, attr: true, declared: declared, raw: func(f *Frame) any { return f.vars[slot].raw }})
	}
	switch {
	case over.kind() == kindRaw && over.declared.IsList():
		key = operand{cost: 1, attr: true, value: as(kindInt, func(f *Frame) int64 { return f.vars[slot].index })}
		return key, element(over.declared.Items), listRange(over.elements(), slot)
	case over.isMap() && two:
		return name, element(over.declared.Values), mapRange(over, slot)
	case two:
		return x.twoVariables(over, slot)
	case over.isMap():
		return key, name, mapRange(over, slot)
	case over.kind() == kindBox || over.kind() != kindRaw && over.typ.Kind() == types.DynKind:
		over.box = x.boxed(over)
		return key, x.boxVariable(elementType(over.typ, 0), slot), boxRange(over.box, slot)
	default:
		x.refuse("comprehension over " + kindName(over))
	}
	return operand{}, operand{}, nil
}

func listRange(list listFunc, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
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
	object := over.object()
	return func(f *Frame, step func(*Frame) bool) {
		m := object(f)
		if f.failed {
			return
		}
		from := len(f.names)
		for name := range m {
			f.names = append(f.names, name)
		}
		names := f.names[from:]
		slices.Sort(names)
		for _, name := range names {
			f.vars[slot].name, f.vars[slot].raw = name, m[name]
			if !step(f) {
				break
			}
		}
		f.names = f.names[:from]
	}
}

// boxRange loops over the elements of a boxed list or the keys of a boxed map.
func boxRange(box func(*Frame) ref.Val, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		boxed := box(f)
		if f.failed {
			return
		}
		v, ok := boxed.(traits.Iterable)
		if m, isMap := v.(traits.Mapper); isMap {
			v = cellib.OrderedMap(m)
		}
		if !ok {
			f.notIterable(boxed)
			return
		}
		for it := v.Iterator(); it.HasNext() == types.True; {
			f.vars[slot].box = it.Next()
			if !step(f) {
				return
			}
		}
	}
}

// notIterable makes a loop over a scalar fail.
func (f *Frame) notIterable(v ref.Val) {
	switch v.(type) {
	case types.Bool, types.Int, types.Uint, types.Double, types.String, types.Bytes, types.Null, types.Duration, types.Timestamp:
		f.fail(&EvalError{text: fmt.Sprintf("got '%T', expected iterable type", v)})
	default:
		f.decline()
	}
}

func (x *compiler) boxVariable(t *types.Type, slot int) operand {
	x.boxes = true
	return x.unbox(t, operand{cost: 1, attr: true, box: func(f *Frame) ref.Val { return f.checked(f.vars[slot].box) }})
}

func elementType(t *types.Type, i int) *types.Type {
	if p := t.Parameters(); (t.Kind() == types.ListKind || t.Kind() == types.MapKind) && i < len(p) {
		return p[i]
	}
	return types.DynType
}

// twoVariables returns the variables of a loop over a boxed list or map, and the loop.
func (x *compiler) twoVariables(over operand, slot int) (key, v operand, each rangeFunc) {
	if over.kind() == kindBox {
		keyType, valueOf := elementType(over.typ, 0), elementType(over.typ, 1)
		if over.typ.Kind() == types.ListKind {
			keyType, valueOf = types.IntType, keyType
		}
		key = x.unbox(keyType, operand{cost: 1, attr: true, box: func(f *Frame) ref.Val { return f.checked(f.vars[slot].key) }})
		return key, x.boxVariable(valueOf, slot), entries(over.box, slot)
	}
	x.refuse("comprehension with two variables over " + kindName(over))
	return operand{}, operand{}, nil
}

// entries loops over the keys (or indexes) and values of a boxed map (or list).
func entries(box func(*Frame) ref.Val, slot int) rangeFunc {
	return func(f *Frame, step func(*Frame) bool) {
		v := box(f)
		if f.failed {
			return
		}
		if l, isList := v.(traits.Lister); isList {
			for i := range actualSize(l) {
				f.vars[slot].key, f.vars[slot].box = types.Int(i), l.Get(types.Int(i))
				if !step(f) {
					return
				}
			}
			return
		}
		m, ok := v.(traits.Mapper)
		if !ok {
			f.decline()
			return
		}
		for it := cellib.OrderedMap(m).Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			v, found := m.Find(k)
			if !found { // NaN is not found, but has a value
				f.decline()
				return
			}
			f.vars[slot].key, f.vars[slot].box = k, v
			if !step(f) {
				return
			}
		}
	}
}
