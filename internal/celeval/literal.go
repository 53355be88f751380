package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cellib"
	"github.com/crdkit/crdkit/internal/celvalue"
)

// list compiles a list literal. It is a constant if all elements are.
func (x *compiler) list(e ast.Expr) operand {
	list := e.AsList()
	if len(list.OptionalIndices()) > 0 {
		return x.refuse("optional element")
	}
	out := operand{cost: 10}
	boxes := make([]func(*Frame) ref.Val, list.Size())
	known := true
	for i, element := range list.Elements() {
		c := x.expr(element)
		boxes[i], out.cost, known = x.boxed(c), out.cost+c.cost, known && c.constant != nil
	}
	if x.why != "" {
		return operand{}
	}
	out.box = func(f *Frame) ref.Val {
		f.grow(uint64(len(boxes)) * cellib.BoxedBytes)
		elements := make([]ref.Val, len(boxes))
		for i, box := range boxes {
			elements[i] = box(f)
		}
		return types.NewRefValList(x.language.Builtin, elements)
	}
	if known {
		return x.constant(out.box(newFrame()))
	}
	return out
}

// mapLiteral compiles a map literal. It is a constant if all keys and values are.
func (x *compiler) mapLiteral(e ast.Expr) operand {
	entries := e.AsMap().Entries()
	out := operand{cost: 30}
	keys, values := make([]func(*Frame) ref.Val, len(entries)), make([]func(*Frame) ref.Val, len(entries))
	known := true
	for i := range entries {
		entry := entries[i].AsMapEntry()
		if entry.IsOptional() {
			return x.refuse("optional entry")
		}
		k, v := x.expr(entry.Key()), x.expr(entry.Value())
		keys[i], values[i] = x.boxed(k), x.boxed(v)
		out.cost += k.cost + v.cost
		known = known && k.constant != nil && v.constant != nil
		if x.why != "" {
			return operand{}
		}
	}
	out.box = func(f *Frame) ref.Val {
		f.grow(uint64(len(keys)) * cellib.EntryBytes)
		m := make(map[ref.Val]ref.Val, len(keys))
		for i := range keys {
			k := keys[i](f)
			v := values[i](f)
			if f.failed {
				return types.NullValue
			}
			m[k] = v
		}
		return types.NewRefValMap(x.language.Builtin, m)
	}
	if known {
		return x.constant(out.box(newFrame()))
	}
	return out
}

// boxedIndex compiles an index into a list that is not a part of the object.
func (x *compiler) boxedIndex(of, at operand, cost uint64) operand {
	texts := closureOf[[]string](of)
	switch {
	case of.kind() == kindBox && of.typ.Kind() == types.MapKind && (at.kind() == kindString || at.kind() == kindInt):
		return x.boxedEntry(of, at, cost)
	case at.kind() != kindInt || texts == nil && (of.kind() != kindBox || of.typ.Kind() != types.ListKind):
		return x.refuse("index of " + kindName(of))
	}
	list, i := of.box, closureOf[int64](at)
	if texts != nil {
		return operand{cost: cost, attr: !of.choice, choice: of.choice, value: as(kindString, func(f *Frame) string {
			l := texts(f)
			if n := i(f); !f.failed && n >= 0 && n < int64(len(l)) {
				return l[n]
			}
			f.decline()
			return ""
		})}
	}
	if of.items != nil {
		return x.typed(operand{cost: cost, attr: !of.choice, choice: of.choice, declared: of.items, raw: func(f *Frame) any {
			l, ok := list(f).(traits.Lister)
			if n := i(f); ok && !f.failed && n >= 0 && n < int64(actualSize(l)) {
				return celvalue.RawObject(l.Get(types.Int(n)))
			}
			f.decline()
			return nil
		}})
	}
	out := operand{cost: cost, attr: !of.choice, choice: of.choice, box: func(f *Frame) ref.Val {
		l, ok := list(f).(traits.Lister)
		if n := i(f); ok && !f.failed && n >= 0 && n < int64(actualSize(l)) {
			return f.checked(l.Get(types.Int(n)))
		}
		f.decline()
		return types.NullValue
	}}
	return x.unbox(of.typ.Parameters()[0], out)
}

// boxedEntry compiles an entry of a map that is not a part of the object.
func (x *compiler) boxedEntry(of, at operand, cost uint64) operand {
	object, key := of.box, x.boxed(at)
	return x.unbox(of.typ.Parameters()[1], operand{cost: cost, attr: !of.choice, choice: of.choice, box: func(f *Frame) ref.Val {
		m, ok := object(f).(traits.Mapper)
		k := key(f)
		if !ok || f.failed {
			f.decline()
			return types.NullValue
		}
		v, found := m.Find(k)
		if !found {
			f.decline()
			return types.NullValue
		}
		return f.checked(v)
	}})
}
