package celeval

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// This file compiles functions of one string: conversions, which cost one unit,
// and functions that copy the string, which cost by its size.

// unaryString compiles a function of a string. It returns an operand without kind
// for unknown functions.
func (x *compiler) unaryString(overload string, a operand) operand {
	if a.constant != nil {
		return operand{}
	}
	out := operand{cost: a.cost + 1, id: x.identity()}
	switch overload {
	case overloads.StringToInt:
		out.value = as(kindInt, conversion(a, out.id, types.IntType, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }))
	case overloads.StringToDouble:
		out.value = as(kindDouble, conversion(a, out.id, types.DoubleType, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }))
	case overloads.StringToDuration:
		out.value = as(kindDuration, conversion(a, out.id, types.DurationType, func(s string) (int64, error) {
			d, err := time.ParseDuration(s)
			return int64(d), err
		}))
	case "string_lower_ascii":
		return x.rewritten(a, lowerASCII)
	case "string_trim":
		return x.rewritten(a, strings.TrimSpace)
	default:
		return operand{}
	}
	return out
}

// conversion returns the closure of a conversion from a string.
func conversion[T any](a operand, own identity, to *types.Type, parse func(string) (T, error)) func(*Frame) T {
	s, operandID := closureOf[string](a), a.id
	what := &EvalError{text: types.NewErr("type conversion error from '%s' to '%s'", types.StringType, to).(*types.Err).Error()}
	return func(f *Frame) T {
		text := s(f)
		if f.failed {
			var none T
			f.propagate(operandID, own)
			return none
		}
		v, err := parse(text)
		if err != nil {
			f.fail(what, own)
		}
		return v
	}
}

// rewritten compiles a function that returns a changed string. It costs a tenth
// of the size.
func (x *compiler) rewritten(a operand, rewrite func(string) string) operand {
	s, operandID, own := closureOf[string](a), a.id, x.identity()
	return operand{cost: a.cost, id: own, value: as(kindString, func(f *Frame) string {
		v := s(f)
		if f.failed {
			f.propagate(operandID, own)
			v = errorText
		}
		f.cost += tenthOf(utf8.RuneCountInString(v))
		return rewrite(v)
	})}
}

// lowerASCII returns s with ASCII letters in lower case. Bytes that are not UTF-8
// become the replacement character.
func lowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return strings.Map(func(r rune) rune {
				if 'A' <= r && r <= 'Z' {
					return r + 'a' - 'A'
				}
				return r
			}, s)
		}
	}
	return s
}
