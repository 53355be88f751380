package celeval

import (
	"unicode/utf8"

	"github.com/google/cel-go/common/types"

	"github.com/crdkit/crdkit/internal/celvalue"
)

// This file compiles comparisons of raw values. It declines values that do not
// fit their declared type.

func equalRaw(a, b operand) operand {
	s, l, r := a.declared, a.raw, b.raw
	return operand{cost: costs(a, b, 0), value: as(kindBool, func(f *Frame) bool {
		v := l(f)
		w := r(f)
		eq, ok := s.Same(v, w)
		f.cost += tenthOf(min(celvalue.SizeOf(v), celvalue.SizeOf(w)))
		if !ok {
			f.decline()
		}
		return eq
	})}
}

func (c operand) isIntOrString() bool {
	return c.kind() == kindRaw && c.declared.Kind == celvalue.KindIntOrString
}

// equalIntOrString compiles a comparison with a constant string or integer.
func (x *compiler) equalIntOrString(a, b operand) operand {
	raw, what, operandID, own := a.raw, a.absent, a.id, x.identity()
	text, isText := b.constant.(types.String)
	number, _ := b.constant.(types.Int)
	size := 1
	if isText {
		size = utf8.RuneCountInString(string(text))
	}
	failed := tenthOf(min(size, 1))
	return operand{cost: costs(a, b, 0), id: own, value: as(kindBool, func(f *Frame) bool {
		r := raw(f)
		switch v := r.(type) {
		case string:
			f.cost += tenthOf(min(size, utf8.RuneCountInString(v)))
			return isText && v == string(text)
		case int64:
			f.cost += tenthOf(min(size, 1))
			return !isText && v == int64(number)
		}
		f.failRead(r, what, operandID)
		f.propagate(operandID, own)
		f.cost += failed
		return false
	})}
}
