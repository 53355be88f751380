package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cellib"
)

const (
	mapInsert = "cel.@mapInsert"

	insertCost      = 3 // the accumulator, the key and the call
	insertEntryCost = 2 // the accumulator and the call
)

// inserted returns what a comprehension inserts into a map: a value under the
// first variable, or the entries of another map. It returns neither for other
// comprehensions.
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

// transformMap compiles a loop that makes a map.
func (x *compiler) transformMap(over, key operand, each rangeFunc, cond, value, entry ast.Expr) operand {
	test, every, hit := func(*Frame) bool { return true }, uint64(0), uint64(0)
	if cond != nil {
		p := x.expr(cond)
		test, every = x.bool(p), p.cost
	}
	var insert func(*Frame)
	if value != nil {
		v := x.expr(value)
		k, box := x.boxed(key), x.boxed(v)
		hit = v.cost + insertCost
		insert = func(f *Frame) {
			name, v := k(f), box(f)
			if !f.failed {
				f.entries[name] = v
				f.grow(cellib.EntryBytes)
			}
		}
	} else {
		e := x.expr(entry)
		box := x.boxed(e)
		hit = e.cost + insertEntryCost
		insert = func(f *Frame) { f.insertAll(box(f)) }
	}
	if x.why != "" {
		return operand{}
	}
	one := func(f *Frame) bool {
		f.cost += every
		if test(f) && !f.failed {
			f.cost += hit
			insert(f)
		}
		return f.step()
	}
	return operand{cost: over.cost + resultCost, box: func(f *Frame) ref.Val {
		outer := f.entries
		f.rare = true
		made := make(map[ref.Val]ref.Val)
		f.entries = made
		each(f, one)
		f.entries = outer
		if f.failed {
			f.failedAt = 0
			return types.NullValue
		}
		return types.NewRefValMap(x.language.Builtin, made)
	}}
}

// insertAll inserts the entries of a map. It declines a repeated key.
func (f *Frame) insertAll(of ref.Val) {
	m, ok := of.(traits.Mapper)
	if f.failed || !ok {
		f.decline()
		return
	}
	for it := m.Iterator(); it.HasNext() == types.True; {
		k := it.Next()
		switch k.(type) {
		case types.String, types.Int:
		default: // another key type may be equal to it
			f.decline()
			return
		}
		if _, there := f.entries[k]; there {
			f.decline()
			return
		}
		f.entries[k] = m.Get(k)
		f.grow(cellib.EntryBytes)
	}
}
