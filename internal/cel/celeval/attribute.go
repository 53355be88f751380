package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// This file compiles variables, fields and elements. Each name and each index
// costs one unit. A variable costs nothing where CEL resolves it instead of
// evaluating it: as an index and as a branch of a ternary.

func (x *compiler) ident(e ast.Expr, name string) operand {
	if r, ok := x.tree.ReferenceMap()[e.ID()]; ok {
		if r.Value != nil {
			return x.constant(r.Value)
		}
		name = r.Name
	}
	for i := len(x.vars) - 1; i >= 0; i-- {
		if x.vars[i].name == name {
			return x.vars[i].operand
		}
	}
	switch name {
	case celtypes.Self:
		return x.typed(operand{cost: 1, attr: true, declared: x.self, raw: func(f *Frame) any { return f.Self }})
	case celtypes.OldSelf:
		raw := func(f *Frame) any { return f.Old }
		if !x.optionalOld {
			return x.typed(operand{cost: 1, attr: true, declared: x.self, raw: raw})
		}
		return operand{cost: 1, attr: true, declared: x.self,
			value: rawOptional(func(f *Frame) (any, bool) { return f.Old, f.Old != nil })}
	}
	if x.tree.GetType(e.ID()).Kind() == types.TypeKind {
		if v, ok := x.language.Builtin.FindIdent(name); ok {
			return x.constant(v)
		}
	}
	return x.refuse("variable " + name)
}

// selection compiles a field selection or has().
func (x *compiler) selection(e ast.Expr, sel ast.SelectExpr) operand {
	if r, ok := x.tree.ReferenceMap()[e.ID()]; ok {
		if r.Value != nil {
			return x.constant(r.Value)
		}
		return x.refuse("qualified name")
	}
	c := x.expr(sel.Operand())
	if x.why != "" {
		return operand{}
	}
	if c.kind() == kindRawOptional && !sel.IsTestOnly() {
		if out := x.optionalField(c, sel.FieldName()); out.kind() != kindNone {
			return out
		}
	}
	name, declared := c.field(sel.FieldName())
	if declared == nil || c.presence {
		q := fieldOf(sel.FieldName())
		q.test = sel.IsTestOnly()
		return x.qualified(c, q, x.tree.GetType(e.ID()))
	}
	// A field of a ternary is selected from both branches.
	cost := c.cost + 1
	if !c.attr && !c.choice {
		cost++
	}
	if sel.IsTestOnly() {
		out := operand{cost: cost - 1, presence: true, refunds: c.choice}
		if c.attr || c.choice {
			out.id = x.identity()
		}
		out.value = as(kindBool, has(c, name, declared, out.id))
		if is := closureOf[bool](out); c.choice { // CEL pays for the field and refunds it
			out.value = as(kindBool, func(f *Frame) bool {
				v := is(f)
				if f.failed || f.cost >= f.Limit {
					f.decline()
				}
				return v
			})
		}
		return out
	}
	out := operand{cost: cost, attr: !c.choice, choice: c.choice, declared: declared}
	if c.attr || c.choice {
		out.id = x.identity()
	}
	if c.declared.Props != nil {
		out.absent = noSuchKey(sel.FieldName())
		out.raw = fieldOfObject(c, name, x.identityOf(out))
		return x.typed(out)
	}
	out.raw = mapEntry(c, name, noSuchKey(sel.FieldName()), x.identityOf(out))
	return x.typed(out)
}

// field returns the name and the type of a field of a part of the object. The type
// is nil if the operand is something else or has no such field.
func (o operand) field(name string) (string, *celvalue.DeclaredType) {
	if o.kind() != kindRaw || o.declared.Kind != celvalue.KindObject {
		return "", nil
	}
	return o.declared.Entry(name)
}

// fieldOfObject returns a closure that reads a declared field. It yields nil for an absent
// field, which fails the operator that uses it.
func fieldOfObject(c operand, name string, own identity) func(*Frame) any {
	of, what, id := c.raw, c.absent, c.id
	return func(f *Frame) any {
		v := of(f)
		m, ok := v.(map[string]any)
		if !ok {
			f.failField(v, what, id, own)
		}
		return m[name]
	}
}

// mapEntry is like fieldOfObject for a map. An absent entry fails the closure, as null may
// be an entry.
func mapEntry(c operand, name string, missing *EvalError, own identity) func(*Frame) any {
	of, what, id := c.raw, c.absent, c.id
	return func(f *Frame) any {
		v := of(f)
		m, ok := v.(map[string]any)
		if !ok {
			f.failField(v, what, id, own)
			return nil
		}
		v, ok = m[name]
		if !ok {
			f.fail(missing, own)
		}
		return v
	}
}

// has returns a closure that tests for an entry. A null field is absent.
func has(c operand, name string, s *celvalue.DeclaredType, own identity) func(*Frame) bool {
	of, what, id, field := c.raw, c.absent, c.id, c.declared.Props != nil
	return func(f *Frame) bool {
		w := of(f)
		m, ok := w.(map[string]any)
		if !ok {
			f.failField(w, what, id, own)
			return false
		}
		v, found := m[name]
		if !found || field && v == nil {
			return false
		}
		if !s.Fits(v) {
			f.decline()
		}
		return true
	}
}

// index compiles the index of a list or a map, whose elements have type t.
func (x *compiler) index(of, at operand, t *types.Type) operand {
	if of.presence || at.presence {
		return x.refuse("index with has")
	}
	if of.isOptional() && of.extras().chain == nil { // no step of a chain looks into an optional
		return x.optionalIndex(of, at, t, false)
	}
	cost := of.cost + 1 + at.cost
	if at.attr {
		cost--
	}
	if !of.attr && !of.choice {
		cost++
	}
	i, name := closureOf[int64](at), closureOf[string](at)
	out := operand{cost: cost, attr: !of.choice, choice: of.choice, id: x.identity()}
	ids := operandIDs{left: of.id, right: at.id, own: out.id}
	switch {
	case of.kind() == kindRaw && of.declared.IsList() && at.kind() == kindInt:
		out.declared, out.raw = of.declared.Items, element(of.elements(), i, ids, branchCost(at))
		return x.typed(out)
	case of.kind() == kindRaw && of.declared.Kind == celvalue.KindObject && of.declared.Values != nil && at.kind() == kindString:
		out.declared, out.raw = of.declared.Values, entryAt(of, name, ids, branchCost(at))
		return x.typed(out)
	case of.kind() == kindBox && of.extras().items != nil && at.kind() == kindInt:
		out.declared, out.raw = of.extras().items, objectAt(of.box, i, ids, branchCost(at))
		return x.typed(out)
	}
	return x.qualified(of, x.indexWith(at), t)
}

// indexed evaluates an index. If the list or map has failed, it refunds the index.
func (f *Frame) indexed(at func(*Frame) int64, o operandIDs, cost uint64) (i int64, ok bool) {
	if f.failed {
		f.cost -= cost + 1
		f.propagate(o.left, o.own)
		return 0, false
	}
	if i = at(f); f.failed {
		f.propagate(o.right, o.own)
	}
	return i, !f.failed
}

// element returns a closure that reads an element of a list.
func element(list listFunc, at func(*Frame) int64, o operandIDs, cost uint64) func(*Frame) any {
	return func(f *Frame) any {
		l := list(f)
		n, ok := f.indexed(at, o, cost)
		switch {
		case !ok:
		case n >= 0 && n < int64(len(l)):
			return l[n]
		default:
			f.fail(missing(outOfBounds, n), o.own)
		}
		return nil
	}
}

// objectAt returns a closure that reads an object in a list that is not a part of
// the object.
func objectAt(list func(*Frame) ref.Val, at func(*Frame) int64, o operandIDs, cost uint64) func(*Frame) any {
	return func(f *Frame) any {
		v := list(f)
		n, ok := f.indexed(at, o, cost)
		l, isList := v.(traits.Lister)
		switch {
		case !ok:
		case !isList:
			f.decline()
		case n >= 0 && n < int64(actualSize(l)):
			return celvalue.RawObject(l.Get(types.Int(n)))
		default:
			f.fail(missing(outOfBounds, n), o.own)
		}
		return nil
	}
}

// entryAt returns a closure that reads an entry of a map.
func entryAt(of operand, name func(*Frame) string, o operandIDs, cost uint64) func(*Frame) any {
	object, what := of.raw, of.absent
	return func(f *Frame) any {
		v := object(f)
		m, ok := v.(map[string]any)
		if !ok {
			f.cost -= cost
			f.failField(v, what, o.left, o.own)
			return nil
		}
		key := name(f)
		if f.failed {
			f.propagate(o.right, o.own)
			return nil
		}
		if v, ok = m[key]; !ok {
			f.fail(noSuchKey(key), o.own)
		}
		return v
	}
}

const outOfBounds = "index out of bounds"
