package cel

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// Variables, their fields and their elements. Each name and each index costs
// one unit, but the name of a variable costs none where CEL resolves it rather
// than evaluates it: as an index and as a branch of a ternary.

func (x *executor) ident(e ast.Expr, name string) code {
	if r, ok := x.tree.ReferenceMap()[e.ID()]; ok {
		if r.Value != nil {
			return x.constant(r.Value)
		}
		name = r.Name
	}
	for i := len(x.vars) - 1; i >= 0; i-- {
		if x.vars[i].name == name {
			return x.vars[i].code
		}
	}
	switch name {
	case selfName:
		return x.typed(code{cost: 1, attr: true, shape: x.self, raw: func(f *frame) any { return f.self }})
	case oldSelfName:
		raw := func(f *frame) any { return f.old }
		if !x.optional {
			return x.typed(code{cost: 1, attr: true, shape: x.self, raw: raw})
		}
		return code{kind: kindOptional, cost: 1, attr: true, shape: x.self,
			optional: func(f *frame) (any, bool) { return f.old, f.old != nil }}
	}
	if x.tree.GetType(e.ID()).Kind() == types.TypeKind {
		if v, ok := x.base.builtin.FindIdent(name); ok {
			return x.constant(v)
		}
	}
	return x.refuse("variable " + name)
}

// selection compiles a field, or the question whether it is there.
func (x *executor) selection(e ast.Expr, sel ast.SelectExpr) code {
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
	if c.kind == kindOptional {
		return x.optionalField(c, sel.FieldName(), sel.IsTestOnly())
	}
	if c.kind != kindRaw || c.shape.kind != shapeObject {
		return x.refuse("field of " + kindName(c))
	}
	name, shape := c.shape.entry(sel.FieldName())
	if shape == nil {
		return x.refuse("field that is not declared")
	}
	// The field of a ternary is that of both branches.
	cost := c.cost + 1
	if !c.attr && !c.choice {
		cost++
	}
	if sel.IsTestOnly() {
		out := code{kind: kindBool, cost: cost - 1, presence: true}
		if c.attr || c.choice {
			out.id = x.identity()
		}
		out.bool = has(c, name, shape, out.id)
		if is := out.bool; c.choice { // the field is paid for and then refunded
			out.bool = func(f *frame) bool {
				v := is(f)
				if f.cost >= f.limit {
					f.void()
				}
				return v
			}
		}
		return out
	}
	out := code{cost: cost, attr: !c.choice, choice: c.choice, shape: shape}
	if c.attr || c.choice {
		out.id = x.identity()
	}
	if c.shape.props != nil {
		out.fault = missing(sel.FieldName())
	}
	out.raw = entry(c, name, out.id)
	return x.typed(out)
}

// entry returns the name and the shape of an entry of objects.
func (s *shape) entry(spelled string) (string, *shape) {
	if s.props == nil {
		return spelled, s.values
	}
	f, ok := s.fields[spelled]
	if !ok {
		f, _ = s.spelledOddly(spelled)
	}
	return f.name, f.shape
}

// entry returns nil for an entry that is not there, which fails whoever uses it.
func entry(c code, name string, own identity) func(*frame) any {
	of, what, id := c.raw, c.fault, c.id
	return func(f *frame) any {
		v := of(f)
		m, ok := v.(map[string]any)
		if !ok {
			f.lost(v, what, id, own)
			return nil
		}
		return m[name]
	}
}

// has tells whether an entry is there. A field that is null is not.
func has(c code, name string, s *shape, own identity) func(*frame) bool {
	of, what, id, field := c.raw, c.fault, c.id, c.shape.props != nil
	return func(f *frame) bool {
		w := of(f)
		m, ok := w.(map[string]any)
		if !ok {
			f.lost(w, what, id, own)
			return false
		}
		v, ok := m[name]
		if !ok || field && v == nil {
			return false
		}
		if !s.fits(v) {
			f.void()
		}
		return true
	}
}

// fits reports whether a value is shown to rules without error. It is false for
// null, which only sometimes is.
func (s *shape) fits(v any) bool {
	switch s.kind {
	case shapeString:
		_, ok := v.(string)
		return ok
	case shapeObject:
		_, ok := v.(map[string]any)
		return ok
	case shapeAtomicList, shapeSetList, shapeMapList:
		_, ok := v.([]any)
		return ok
	case shapeBoolean:
		_, ok := v.(bool)
		return ok
	case shapeInteger:
		_, ok := v.(int64)
		return ok
	case shapeNumber:
		switch v.(type) {
		case float64, int64:
			return true
		}
		return false
	case shapeIntOrString:
		switch v.(type) {
		case string, int64:
			return true
		}
		return false
	case shapeDuration:
		_, ok := parseDuration(v)
		return ok
	case shapeDate, shapeDateTime:
		_, ok := s.parseTime(v)
		return ok
	}
	return v != nil && !types.IsUnknownOrError(s.value(v))
}

// index compiles an element of a list or an entry of a map.
func (x *executor) index(of, at code) code {
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
	if of.kind != kindRaw {
		return x.boxedIndex(of, at, cost)
	}
	switch {
	case of.shape.isList() && at.kind == kindInt:
		list, i := of.elements(), at.int
		return x.typed(code{cost: cost, attr: !of.choice, choice: of.choice, shape: of.shape.items, raw: func(f *frame) any {
			l := list(f)
			if n := i(f); n >= 0 && n < int64(len(l)) {
				return l[n]
			}
			f.void()
			return nil
		}})
	case of.shape.kind == shapeObject && of.shape.values != nil && at.kind == kindString:
		object, name := of.raw, at.string
		return x.typed(code{cost: cost, attr: !of.choice, choice: of.choice, shape: of.shape.values, raw: func(f *frame) any {
			m, ok := object(f).(map[string]any)
			if !ok {
				f.void()
				return nil
			}
			return m[name(f)]
		}})
	}
	return x.refuse("index of " + kindName(of))
}

// isList reports whether values are lists of a known type.
func (s *shape) isList() bool {
	return s.kind == shapeAtomicList || s.kind == shapeSetList || s.kind == shapeMapList
}
