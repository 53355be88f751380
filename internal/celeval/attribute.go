package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/crdkit/crdkit/internal/celtypes"
	"github.com/crdkit/crdkit/internal/celvalue"
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
	if c.presence {
		return x.refuse("field of has")
	}
	if c.kind() == kindRawOptional {
		return x.optionalField(c, sel.FieldName(), sel.IsTestOnly())
	}
	if c.kind() != kindRaw || c.declared.Kind != celvalue.KindObject {
		return x.refuse("field of " + kindName(c))
	}
	name, declared := c.declared.Entry(sel.FieldName())
	if declared == nil {
		return x.refuse("field that is not declared")
	}
	// A field of a ternary is selected from both branches.
	cost := c.cost + 1
	if !c.attr && !c.choice {
		cost++
	}
	if sel.IsTestOnly() {
		out := operand{cost: cost - 1, presence: true}
		if c.attr || c.choice {
			out.id = x.identity()
		}
		out.value = as(kindBool, has(c, name, declared, out.id))
		if is := closureOf[bool](out); c.choice { // CEL pays for the field and refunds it
			out.value = as(kindBool, func(f *Frame) bool {
				v := is(f)
				if f.cost >= f.Limit {
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
	}
	out.raw = entry(c, name, out.id)
	return x.typed(out)
}

// entry returns a closure that reads an entry. It yields nil for an absent entry,
// which fails the operator that uses it.
func entry(c operand, name string, own identity) func(*Frame) any {
	of, what, id := c.raw, c.absent, c.id
	return func(f *Frame) any {
		v := of(f)
		m, ok := v.(map[string]any)
		if !ok {
			f.failField(v, what, id, own)
			return nil
		}
		return m[name]
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
		v, ok := m[name]
		if !ok || field && v == nil {
			return false
		}
		if !s.Fits(v) {
			f.decline()
		}
		return true
	}
}

// index compiles the index of a list or a map.
func (x *compiler) index(of, at operand) operand {
	if of.presence || at.presence {
		return x.refuse("index with has")
	}
	if of.isOptional() {
		return x.optionalIndex(of, at)
	}
	cost := of.cost + 1 + at.cost
	if at.attr {
		cost--
	}
	if !of.attr && !of.choice {
		cost++
	}
	if of.kind() != kindRaw {
		return x.boxedIndex(of, at, cost)
	}
	switch {
	case of.declared.IsList() && at.kind() == kindInt:
		list, i := of.elements(), closureOf[int64](at)
		return x.typed(operand{cost: cost, attr: !of.choice, choice: of.choice, declared: of.declared.Items, raw: func(f *Frame) any {
			l := list(f)
			if n := i(f); n >= 0 && n < int64(len(l)) {
				return l[n]
			}
			f.decline()
			return nil
		}})
	case of.declared.Kind == celvalue.KindObject && of.declared.Values != nil && at.kind() == kindString:
		object, name := of.raw, closureOf[string](at)
		return x.typed(operand{cost: cost, attr: !of.choice, choice: of.choice, declared: of.declared.Values, raw: func(f *Frame) any {
			m, ok := object(f).(map[string]any)
			if !ok {
				f.decline()
				return nil
			}
			return m[name(f)]
		}})
	}
	return x.refuse("index of " + kindName(of))
}
