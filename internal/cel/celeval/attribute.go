package celeval

import (
	"fmt"
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// Each name and each index costs one unit. But a variable costs nothing as an index, or as a branch
// of a ternary: CEL resolves it together with the index or ternary.

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
		return operand{cost: 1, attr: true, value: x.optionalPart(x.self, func(f *Frame) (any, bool) { return f.Old, f.Old != nil })}
	}
	if x.tree.GetType(e.ID()).Kind() == types.TypeKind {
		if v, ok := x.language.Builtin.FindIdent(name); ok {
			return x.constant(v)
		}
	}
	return x.refuse("variable " + name)
}

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
	if c.kind() == kindOptional && !sel.IsTestOnly() {
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
	// As in cel-go, (c ? a : b).f means c ? a.f : b.f.
	cost := c.cost + 1
	if !c.attr && !c.choice {
		cost++
	}
	if sel.IsTestOnly() {
		if c.choice { // CEL pays for the field and then refunds it
			return x.refuse("presence in a ternary")
		}
		return operand{cost: cost - 1, presence: true, value: as(kindBool, has(c, name, declared))}
	}
	return x.typed(operand{cost: cost, attr: !c.choice, choice: c.choice, declared: declared, raw: fieldOfObject(c, name, missing(absentKey, sel.FieldName()))})
}

// field returns the name and the type of a field. The type is nil if there is no such field.
func (o operand) field(name string) (string, *celvalue.DeclaredType) {
	if o.kind() != kindRaw || o.declared.Kind != celvalue.KindObject {
		return "", nil
	}
	return o.declared.Entry(name)
}

// fieldOfObject returns a closure that reads a field or an entry. It fails if the field or entry is
// absent. A null field is absent.
func fieldOfObject(c operand, name string, missing *EvalError) func(*Frame) any {
	of, declared := fieldsOf(c), c.declared.Props != nil
	return func(f *Frame) any {
		v, ok := of(f)[name]
		if !ok || declared && v == nil {
			f.fail(missing)
		}
		return v
	}
}

// fieldsOf returns a closure that reads c to select a field. If c fails, selecting costs nothing.
func fieldsOf(c operand) func(*Frame) map[string]any {
	of, known := c.object(), c.attr || c.choice
	return func(f *Frame) map[string]any {
		m := of(f)
		if f.failed {
			f.cost--
			if !known { // cel-go may charge less for other steps, too
				f.decline()
			}
		}
		return m
	}
}

// has returns a closure that tests whether an entry is present. A null field is absent.
func has(c operand, name string, s *celvalue.DeclaredType) func(*Frame) bool {
	of, declared := fieldsOf(c), c.declared.Props != nil
	return func(f *Frame) bool {
		v, found := of(f)[name]
		if !found || declared && v == nil {
			return false
		}
		if !s.Fits(v) {
			f.decline()
		}
		return true
	}
}

// index compiles the index of a list or map whose elements have type t.
func (x *compiler) index(of, at operand, t *types.Type) operand {
	if of.presence || at.presence {
		return x.refuse("index with has")
	}
	if of.isOptional() && of.chain == nil { // a step of a chain does not look into an optional
		return x.optionalIndex(of, at, t, false)
	}
	cost := of.cost + 1 + at.cost
	if at.attr {
		cost--
	}
	if !of.attr && !of.choice {
		cost++
	}
	i, paid := closureOf[int64](at), branchCost(at)
	out := operand{cost: cost, attr: !of.choice, choice: of.choice}
	switch {
	case of.kind() == kindRaw && of.declared.IsList() && at.kind() == kindInt:
		out.declared, out.raw = of.declared.Items, elementAt(of.elements(), i, paid, outOfBounds, inList)
		return x.typed(out)
	case of.kind() == kindRaw && of.declared.Kind == celvalue.KindObject && of.declared.Values != nil && at.kind() == kindString:
		out.declared, out.raw = of.declared.Values, elementAt(of.object(), closureOf[string](at), paid, absentKey, inMap)
		return x.typed(out)
	}
	return x.qualified(of, x.indexWith(at), t)
}

// elementAt returns a closure that reads an element of a list or map. If find returns false, the
// closure fails with an error that begins with prefix. If the list or map fails, the closure takes
// back indexCost.
func elementAt[C, K any, F ~func(*Frame) C](of F, at func(*Frame) K, indexCost uint64, prefix string, find func(C, K) (any, bool)) func(*Frame) any {
	return func(f *Frame) any {
		in := of(f)
		if f.failed {
			f.cost -= indexCost + 1
			return nil
		}
		key := at(f)
		if f.failed {
			return nil
		}
		v, ok := find(in, key)
		if !ok {
			f.fail(missing(prefix, key))
		}
		return v
	}
}

func inList(l []any, n int64) (any, bool) {
	if n < 0 || n >= int64(len(l)) {
		return nil, false
	}
	return l[n], true
}

func inMap(m map[string]any, key string) (any, bool) {
	v, ok := m[key]
	return v, ok
}

const (
	outOfBounds = "index out of bounds"
	absentKey   = "no such key"
)

// Fields and elements of values that are not parts of the object. As in cel-go, a base and its
// qualifiers (names and indexes) are one step: an optional base or qualifier makes the chain
// optional. Each qualifier costs one unit when it finds something or fails.

type chain struct {
	base       func(*Frame) ref.Val
	qualifiers []qualifier
}

type qualifier struct {
	known    ref.Val  // nil if the key is evaluated
	key      argument // paid when it is evaluated
	optional bool
	test     bool // test only for presence
}

func fieldOf(name string) qualifier { return qualifier{known: types.String(name)} }

func (x *compiler) indexWith(at operand) qualifier {
	q := qualifier{known: at.constant}
	if q.known == nil {
		q.key = argument{box: x.boxed(at), cost: branchCost(at)}
	}
	return q
}

// qualified compiles the selection of a field or element. The result has type t.
func (x *compiler) qualified(of operand, q qualifier, t *types.Type) operand {
	switch {
	case of.choice: // each branch is a separate attribute
		return x.refuse("field of a ternary")
	case of.presence || x.isMessage(of):
		return x.refuse("field of " + kindName(of))
	}
	c := &chain{}
	out := operand{cost: of.cost, attr: true, presence: q.test}
	if outer := of.chain; outer != nil {
		c.base, c.qualifiers = outer.base, append(slices.Clip(outer.qualifiers), q)
	} else {
		c.base, c.qualifiers = x.boxed(of), []qualifier{q}
		if !of.attr {
			out.cost++
		}
	}
	if x.why != "" {
		return operand{}
	}
	out.chain = c
	if q.test {
		out.cost--
		out.attr = false
		out.value = as(kindBool, c.present)
		return out
	}
	out.box = c.eval
	return x.unbox(t, out)
}

func (x *compiler) isMessage(of operand) bool {
	if of.typ == nil || of.typ.Kind() != types.StructKind {
		return false
	}
	_, ok := x.language.Builtin.FindStructType(of.typ.TypeName())
	return ok
}

func (c *chain) eval(f *Frame) ref.Val {
	v, optional := c.find(f)
	switch {
	case f.failed:
		return types.NullValue
	case v == nil:
		return types.OptionalNone
	case optional:
		return types.OptionalOf(v)
	}
	return f.checked(v)
}

// present evaluates a chain whose last qualifier only tests presence.
func (c *chain) present(f *Frame) bool {
	v, optional := c.find(f)
	return !f.failed && v != nil && (optional || v == types.True)
}

// find returns the value of a chain, nil if there is none. optional reports whether it is the value
// of an optional.
func (c *chain) find(f *Frame) (v ref.Val, optional bool) {
	if v = c.base(f); f.failed {
		return nil, false
	}
	if o, ok := v.(*types.Optional); ok {
		if !o.HasValue() {
			return nil, true
		}
		v, optional = o.GetValue(), true
	}
	for i := range c.qualifiers {
		q := &c.qualifiers[i]
		optional = optional || q.optional
		if v = c.step(f, q, v, optional); f.failed || v == nil {
			return nil, optional
		}
	}
	return v, optional
}

// step applies a qualifier. It returns nil if the qualifier finds nothing or fails.
func (c *chain) step(f *Frame, q *qualifier, v ref.Val, optional bool) ref.Val {
	k := q.known
	if k == nil {
		f.pay(q.key.cost)
		if k = q.key.box(f); f.failed {
			if !optional {
				f.pay(1)
			}
			return nil
		}
	}
	found, err := f.entryOf(v, k, optional || q.test)
	if !optional || found != nil {
		f.pay(1)
	}
	switch {
	case f.failed:
		return nil
	case err != nil:
		f.fail(err)
		return nil
	case q.test && !optional:
		return types.Bool(found != nil)
	}
	return found
}

// entryOf returns an entry or element. If there is none, it returns nil, and an error unless test
// is true. It declines values and keys for which it does not know the error of cel-go.
func (f *Frame) entryOf(v, k ref.Val, test bool) (ref.Val, *EvalError) {
	switch k.(type) {
	case types.String, types.Int, types.Uint, types.Bool, types.Double:
	case types.Bytes, types.Null, types.Duration, types.Timestamp:
		return nil, &EvalError{text: fmt.Sprintf("invalid qualifier type: %T", k)}
	default:
		f.decline()
		return nil, nil
	}
	kind := absentKey
	switch v := v.(type) {
	case traits.Mapper:
		found, ok := v.Find(k)
		if err, failed := found.(*types.Err); failed {
			return nil, &EvalError{text: err.Error()}
		}
		if ok {
			return found, nil
		}
	case traits.Lister:
		i, err := types.IndexOrError(k)
		if err != nil {
			return nil, &EvalError{text: err.Error()}
		}
		if i >= 0 && i < actualSize(v) {
			return f.checked(v.Get(k)), nil
		}
		kind = outOfBounds
	case traits.Indexer, *types.Err: // an optional may hold an error
		f.decline()
		return nil, nil
	}
	if test {
		return nil, nil
	}
	return nil, missing(kind, k)
}

func missing(kind string, k any) *EvalError {
	return &EvalError{text: fmt.Sprintf("%s: %v", kind, k)}
}
