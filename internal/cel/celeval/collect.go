package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// Loops that make lists. A list of parts of the object is a raw list; other values are boxed.

// collect compiles filter and map. The list has the value of e for each element for which p is
// true. Without a condition, p is of kindNone.
func (x *compiler) collect(over operand, each rangeFunc, p, e operand, cost uint64) operand {
	if x.why != "" {
		return operand{}
	}
	always := p.kind() == kindNone
	if !always {
		p = x.condition(p)
	}
	g := listLoop{each: each, test: func(*Frame) bool { return true }, every: e.cost + cost}
	if !always {
		g.test, g.every, g.hit = x.bool(p), p.cost, e.cost+cost
	}
	if e.constant != nil { // cel-go makes the list [e] only once
		if always {
			g.every = mapKnownCost
		} else {
			g.hit = mapKnownCost
		}
	}
	if x.why != "" {
		return operand{}
	}
	if e.raw != nil && e.declared.Collectable() && e.constant == nil && !e.choice {
		return x.collectRaw(over, &g, e)
	}
	return x.collectBoxed(over, &g, e)
}

// A listLoop is a loop that makes a list. If an element fails, the loop continues, but its result
// is an error: the last error of a condition, else the first error of a value.
type listLoop struct {
	each       rangeFunc
	test       func(*Frame) bool
	every, hit uint64 // cost of each element, and of each collected element
}

// step returns the loop body. It calls put for each collected element.
func (g *listLoop) step(put func(*Frame)) func(*Frame) bool {
	test, every, hit := g.test, g.every, g.hit
	return func(f *Frame) bool {
		f.cost += every
		is := test(f)
		if f.failed {
			f.pending = f.takeError()
			return f.step()
		}
		if is {
			f.cost += hit
			if put(f); f.failed {
				if err := f.takeError(); f.pending == nil {
					f.pending = err
				}
			}
		}
		return f.step()
	}
}

func (x *compiler) collectRaw(over operand, g *listLoop, e operand) operand {
	raw, s := e.raw, e.declared
	one := g.step(func(f *Frame) {
		at := f.filling
		v := raw(f)
		f.filling = at
		if f.failed || !s.Fits(v) {
			f.wrongType()
			return
		}
		f.lists[at] = append(f.lists[at], v)
		f.grow(cellib.ElementBytes)
	})
	list := func(f *Frame) []any {
		outer := f.filling
		f.filling = f.list()
		at := f.filling
		f.loop(g.each, one, resultCost)
		f.filling = outer
		return f.lists[at]
	}
	return operand{cost: over.cost + resultCost, declared: s.MadeList(),
		list: list, raw: func(f *Frame) any { return list(f) }}
}

func (f *Frame) list() int {
	if f.used == len(f.lists) {
		f.lists = append(f.lists, nil)
	}
	f.lists[f.used] = f.lists[f.used][:0]
	f.used++
	f.filled = max(f.filled, f.used)
	return f.used - 1
}

func (x *compiler) collectBoxed(over operand, g *listLoop, e operand) operand {
	box := x.boxed(e)
	one := g.step(func(f *Frame) {
		outer := f.madeList
		v := box(f)
		if f.madeList = outer; !f.failed {
			f.madeList = append(f.madeList, v)
			f.grow(cellib.BoxedBytes)
		}
	})
	return operand{cost: over.cost + resultCost, box: func(f *Frame) ref.Val {
		outer := f.madeList
		f.madeList = nil
		f.loop(g.each, one, resultCost)
		made := f.madeList
		f.madeList = outer
		return types.NewRefValList(x.language.Builtin, made)
	}}
}

// addLists compiles the sum of two raw lists. For other operands, the result is of kindNone.
func (x *compiler) addLists(a, b operand) operand {
	if a.kind() != kindRaw || b.kind() != kindRaw || a.declared.Kind != celvalue.KindAtomicList || a.declared.Made || !b.declared.IsList() ||
		a.declared.Items != b.declared.Items || !a.declared.Items.Collectable() {
		return operand{}
	}
	left, right := a.elements(), b.elements()
	list := func(f *Frame) []any {
		l, r, err, errRight, ok := both(f, left, right)
		if !ok || f.failEither(err, errRight) {
			return nil
		}
		if !f.take(uint64(len(l)+len(r)) * cellib.ElementBytes) {
			return nil
		}
		at := f.list()
		f.lists[at] = append(append(f.lists[at], l...), r...)
		return f.lists[at]
	}
	return operand{cost: costs(a, b, 1), declared: a.declared.Items.MadeList(),
		list: list, raw: func(f *Frame) any { return list(f) }}
}

const (
	mapInsert = "cel.@mapInsert"

	insertCost      = 3 // the accumulator, the key and the call
	insertEntryCost = 2 // the accumulator and the call
)

// inserted returns what a comprehension inserts into a map: a value under the first variable, or
// the entries of another map.
func inserted(c ast.ComprehensionExpr) (cond, value, entry ast.Expr) {
	init, accu := c.AccuInit(), c.AccuVar()
	if !c.HasIterVar2() || init.Kind() != ast.MapKind || init.AsMap().Size() != 0 || !isLiteral(c.LoopCondition(), types.True) || !isIdent(c.Result(), accu) {
		return nil, nil, nil
	}
	step := c.LoopStep()
	if isCall(step, operators.Conditional, 3) && isIdent(arg(step, 2), accu) {
		cond, step = arg(step, 0), arg(step, 1)
	}
	switch {
	case isCall(step, mapInsert, 3) && isIdent(arg(step, 0), accu) && isIdent(arg(step, 1), c.IterVar()):
		return cond, arg(step, 2), nil
	case isCall(step, mapInsert, 2) && isIdent(arg(step, 0), accu):
		return cond, nil, arg(step, 1)
	}
	return nil, nil, nil
}

// A mapLoop is a loop that makes a map. If an element fails, the loop only evaluates test for
// later elements, and its result is the last error.
type mapLoop struct {
	test       func(*Frame) bool
	every, hit uint64 // cost of each element, and of each inserted element
	insert     func(*Frame)
	pays       bool // a value that fails costs the same
}

func (x *compiler) transformMap(over, key operand, each rangeFunc, cond, value, entry ast.Expr) operand {
	m := mapLoop{test: func(*Frame) bool { return true }}
	if cond != nil {
		p := x.condition(x.expr(cond))
		m.test, m.every = x.bool(p), p.cost
	}
	if value != nil {
		v := x.expr(value)
		m.hit = v.cost + insertCost
		m.insert = m.insertValue(x.boxed(key), x.boxed(v))
	} else {
		e := x.expr(entry)
		m.hit, m.pays = e.cost+insertEntryCost, true
		m.insert = m.insertEntries(x.boxed(e))
	}
	if x.why != "" {
		return operand{}
	}
	return operand{cost: over.cost + resultCost, box: func(f *Frame) ref.Val {
		outer := f.entries
		made := make(map[ref.Val]ref.Val)
		f.entries = made
		f.loop(each, m.step, resultCost)
		f.entries = outer
		return types.NewRefValMap(x.language.Builtin, made)
	}}
}

func (m *mapLoop) step(f *Frame) bool {
	f.cost += m.every
	is := m.test(f)
	switch {
	case f.failed:
		f.pending = f.takeError()
	case !is:
	case f.pending != nil && !m.pays:
		f.cost++ // the accumulator
	case f.pending != nil:
		f.decline()
	default:
		f.cost += m.hit
		m.insert(f)
	}
	return f.step()
}

func (m *mapLoop) insertValue(key, value func(*Frame) ref.Val) func(*Frame) {
	return func(f *Frame) {
		k, v := key(f), value(f)
		if f.failed {
			f.pending = f.takeError()
			return
		}
		f.insert(k, v)
	}
}

func (m *mapLoop) insertEntries(entries func(*Frame) ref.Val) func(*Frame) {
	return func(f *Frame) {
		v := entries(f)
		if f.failed {
			f.pending = f.takeError()
			return
		}
		f.insertAll(v)
	}
}

func (f *Frame) insertAll(of ref.Val) {
	m, ok := of.(traits.Mapper)
	if !ok {
		f.decline()
		return
	}
	for it := m.Iterator(); !f.failed && it.HasNext() == types.True; {
		k := it.Next()
		f.insert(k, m.Get(k))
	}
}

// insert inserts an entry. It declines a repeated key.
func (f *Frame) insert(k, v ref.Val) {
	_, there := f.entries[k]
	switch k.(type) {
	case types.String, types.Int:
	default: // other keys may equal k
		there = true
	}
	if there {
		f.decline()
		return
	}
	f.entries[k] = v
	f.grow(cellib.EntryBytes)
}
