package celeval

import (
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"

	"github.com/crdkit/crdkit/internal/celvalue"
)

// in compiles membership. In a list it costs the size of the list, and nothing if
// the list is a constant of primitive values.
func (x *compiler) in(e ast.Expr, v, of operand) operand {
	overload := x.overload(e)
	if known, ok := of.constant.(traits.Lister); ok && overload == overloads.InList {
		return x.inKnown(e, v, of, known)
	}
	switch {
	case overload == overloads.InMap && v.kind() == kindString && of.kind() == kindRaw && of.declared.Kind == celvalue.KindObject && of.declared.Props == nil && of.declared.Values != nil:
		return operand{cost: costs(v, of, 1), value: as(kindBool, hasNamed(closureOf[string](v), of.raw, of.declared.Values))}
	case overload == overloads.InList && v.kind() == kindString && of.kind() == kindRaw && of.declared.IsList() && of.declared.Items.Kind == celvalue.KindString:
		name, list := closureOf[string](v), of.elements()
		return operand{cost: costs(v, of, 0), value: as(kindBool, func(f *Frame) bool {
			text := name(f)
			l := list(f)
			if f.pay(uint64(len(l))); f.failed {
				return false
			}
			for _, e := range l {
				s, ok := e.(string)
				if !ok {
					f.decline()
					return false
				}
				if s == text {
					return true
				}
			}
			return false
		})}
	}
	if overload == overloads.InList && v.kind() == kindString && closureOf[[]string](of) != nil {
		name, texts := closureOf[string](v), closureOf[[]string](of)
		return operand{cost: costs(v, of, 0), value: as(kindBool, func(f *Frame) bool {
			text := name(f)
			l := texts(f)
			if f.failed {
				f.failedAt = 0
				return false
			}
			f.pay(uint64(len(l)))
			return !f.failed && contains(l, text)
		})}
	}
	return x.bridge(e, operators.In, []operand{v, of})
}

func hasNamed(name func(*Frame) string, of func(*Frame) any, s *celvalue.DeclaredType) func(*Frame) bool {
	return func(f *Frame) bool {
		key := name(f)
		m, ok := of(f).(map[string]any)
		if !ok {
			f.decline()
			return false
		}
		v, ok := m[key]
		if ok && !s.Fits(v) {
			f.decline()
		}
		return ok
	}
}

func (x *compiler) inKnown(e ast.Expr, v, of operand, known traits.Lister) operand {
	if known.Size() == types.IntZero {
		return x.constant(types.False)
	}
	var texts []string
	var ints []int64
	for it := known.Iterator(); it.HasNext() == types.True; {
		switch e := it.Next().(type) {
		case types.String:
			texts = append(texts, string(e))
		case types.Int:
			ints = append(ints, int64(e))
		default:
			return x.refuse("in a list of neither strings nor integers")
		}
	}
	operandID, own := v.id, x.identity()
	out := operand{cost: v.cost, id: own}
	switch {
	case v.kind() == kindString:
		s := closureOf[string](v)
		out.value = as(kindBool, func(f *Frame) bool {
			v := s(f)
			if f.failed {
				f.propagate(operandID, own)
			}
			return contains(texts, v)
		})
	case v.kind() == kindInt:
		i := closureOf[int64](v)
		out.value = as(kindBool, func(f *Frame) bool {
			v := i(f)
			if f.failed {
				f.propagate(operandID, own)
			}
			return contains(ints, v)
		})
	case v.kind() == kindRaw && v.declared.Kind == celvalue.KindIntOrString:
		raw, what := v.raw, v.absent
		out.value = as(kindBool, func(f *Frame) bool {
			r := raw(f)
			switch v := r.(type) {
			case string:
				return contains(texts, v)
			case int64:
				return contains(ints, v)
			}
			f.failRead(r, what, operandID)
			f.propagate(operandID, own)
			return false
		})
	case v.kind() == kindBox:
		box := v.box
		out.value = as(kindBool, func(f *Frame) bool {
			switch v := box(f).(type) {
			case types.String:
				return contains(texts, string(v))
			case types.Int:
				return contains(ints, int64(v))
			}
			f.decline()
			return false
		})
	default:
		return x.refuse("in a known list")
	}
	return out
}

func contains[T comparable](list []T, v T) bool {
	for _, e := range list {
		if e == v {
			return true
		}
	}
	return false
}
