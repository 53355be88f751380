package celtrace

import (
	"context"
	"slices"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/crdkit/crdkit/internal/cel/celtypes"
)

// maxElements limits the evaluations of macro conditions in one trace.
const maxElements = 10_000

// maxDepth limits the macros and operators around a part.
const maxDepth = 100

type tracer struct {
	ctx       context.Context
	plans     *celtypes.Tracer
	runes     int
	evaluated int // number of evaluated conditions of macros
	depth     int
	operands  []Operand
	first     string // the first part that decided
}

// A frame holds the variables and recorded values of an evaluation.
type frame struct {
	vars   interpreter.Activation
	values interpreter.EvalState
}

func (t *tracer) evaluate(part ast.Expr, vars interpreter.Activation) (frame, ref.Val) {
	program, err := t.plans.Plan(part)
	if err != nil {
		return frame{vars: vars}, types.WrapErr(err)
	}
	return t.run(program, vars)
}

func (t *tracer) run(program cel.Program, vars interpreter.Activation) (frame, ref.Val) {
	v, details, err := program.ContextEval(t.ctx, vars)
	f := frame{vars: vars}
	if details != nil {
		f.values = details.State()
	}
	if err != nil {
		return f, types.WrapErr(err)
	}
	return f, v
}

// valueOf returns the value of a part. If there is no recorded value, it evaluates the part.
func (t *tracer) valueOf(f frame, e ast.Expr) ref.Val {
	if e.Kind() == ast.LiteralKind {
		return e.AsLiteral()
	}
	if v, ok := f.known(e); ok && e.Kind() != ast.IdentKind {
		return v
	}
	_, v := t.evaluate(e, f.vars)
	return v
}

// known returns the recorded value of a part, and reports whether there is one.
func (f frame) known(e ast.Expr) (ref.Val, bool) {
	if f.values == nil {
		return nil, false
	}
	v, ok := f.values.Value(e.ID())
	return v, ok && v != nil
}

// root traces the whole rule. It returns nil if the rule is true.
func (t *tracer) root(e ast.Expr, vars interpreter.Activation) *Trace {
	f, v := t.evaluate(e, vars)
	switch {
	case v == types.True:
		return nil
	case v == types.False:
		text := t.decide(f, e, false)
		return &Trace{Text: text, Decided: t.first, Operands: t.operands}
	}
	return t.failure(f, e, v)
}

// operand records a new operand and its value.
func (t *tracer) operand(expression string, v ref.Val) {
	if len(t.operands) == maxOperands || slices.ContainsFunc(t.operands, func(o Operand) bool { return o.Expression == expression }) {
		return
	}
	o := Operand{Expression: expression}
	if t.runes > 0 {
		o.Value = valueText(v, t.runes)
	}
	t.operands = append(t.operands, o)
}

// An element is an element or entry for which a macro evaluated its condition.
type element struct {
	frame    frame
	name     string // such as self.items[2]
	variable string // variable for the element, or for the key of an entry
	result   bool
}

// elements are the results of a macro's condition for all elements.
type elements struct {
	n         int      // all of them
	satisfied int      // elements for which the condition is true
	yes, no   *element // first elements with a true and a false condition
	failed    *element // first element whose condition ends with an error
	complete  bool     // the condition was evaluated for all elements, or for enough of them
}

// elements evaluates the condition of a macro until an element decides. Maps are in order of keys.
func (t *tracer) elements(f frame, m macro) (found elements) {
	program, err := t.plans.Plan(m.condition)
	if err != nil {
		return found
	}
	of := t.valueOf(f, m.loop.IterRange())
	name := t.text(m.loop.IterRange())
	n, at := t.iterate(of)
	found.n = n
	for i := range n {
		if t.evaluated++; t.evaluated > maxElements || t.ctx.Err() != nil {
			return found
		}
		key, value := at(i)
		vars, err := interpreter.NewActivation(m.bind(of, key, value))
		if err != nil {
			return found
		}
		inner, v := t.run(program, interpreter.NewHierarchicalActivation(f.vars, vars))
		e := &element{frame: inner, name: t.elementName(name, key), variable: m.loop.IterVar(), result: v == types.True}
		if _, isIndex := key.(types.Int); isIndex {
			e.variable = m.variable()
		}
		if found.add(e, v); m.name == "all" && found.no != nil || m.name == "exists" && found.yes != nil {
			break
		}
	}
	found.complete = true
	return found
}

func (found *elements) add(e *element, v ref.Val) {
	switch {
	case v == types.True:
		if found.satisfied++; found.yes == nil {
			found.yes = e
		}
	case v == types.False && found.no == nil:
		found.no = e
	case isError(v) && found.failed == nil:
		found.failed = e
	}
}

// iterate returns the number of elements, and a function that returns the key and value of each.
func (t *tracer) iterate(of ref.Val) (int, func(int) (key, value ref.Val)) {
	switch of := of.(type) {
	case traits.Mapper:
		keys := sortedKeys(of)
		return len(keys), func(i int) (ref.Val, ref.Val) {
			value, _ := of.Find(keys[i])
			return keys[i], value
		}
	case traits.Lister:
		n, _ := of.Size().(types.Int)
		return int(n), func(i int) (ref.Val, ref.Val) { return types.Int(i), of.Get(types.Int(i)) }
	}
	return 0, nil
}

// bind returns the variables of a macro: the key of a map, or the element of a list. If there are
// two, they are the key or index, and the value.
func (m *macro) bind(of, key, value ref.Val) map[string]any {
	_, isMap := of.(traits.Mapper)
	switch {
	case m.loop.HasIterVar2():
		return map[string]any{m.loop.IterVar(): key, m.loop.IterVar2(): value}
	case isMap:
		return map[string]any{m.loop.IterVar(): key}
	}
	return map[string]any{m.loop.IterVar(): value}
}

// elementName returns the text for an element. A trace without values leaves out the keys of maps,
// too.
func (t *tracer) elementName(list string, key ref.Val) string {
	if i, ok := key.(types.Int); ok {
		return list + "[" + strconv.FormatInt(int64(i), 10) + "]"
	}
	if t.runes == 0 {
		return "a key of " + list
	}
	return valueText(key, t.runes)
}
