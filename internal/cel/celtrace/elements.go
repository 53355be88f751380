package celtrace

import (
	"strconv"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// An element is an element or an entry for which the condition of a macro was
// evaluated.
type element struct {
	frame    frame
	name     string // such as self.items[2]
	variable string // that stands for it, or for the key of an entry
	result   bool
}

// elements are what the condition of a macro is for all elements.
type elements struct {
	n         int      // all of them
	satisfied int      // those that satisfy the condition
	yes, no   *element // the first that does, and the first that does not
	failed    *element // the first whose condition fails with an error
	complete  bool     // the condition was evaluated for all of them, or for enough
}

// elements evaluates the condition of a macro for its elements, until one decides.
// Entries of a map are in the order of their keys.
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

// iterate returns the number of elements, and what returns the key and the value of
// each.
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

// bind returns the variables of a macro for one element: the element or, of a map, the
// key. A macro with two variables has the key or index and the value.
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

// elementName returns the text for an element. The keys of maps are values.
func (t *tracer) elementName(list string, key ref.Val) string {
	if i, ok := key.(types.Int); ok {
		return list + "[" + strconv.FormatInt(int64(i), 10) + "]"
	}
	if t.runes == 0 {
		return "a key of " + list
	}
	return valueText(key, t.runes)
}
