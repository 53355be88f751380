package cel

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// Functions of a string that need no boxed values: conversions, which cost one
// unit, and those that copy the string, which cost by its size.

// unaryString compiles a function of a string. It returns no code if it does not
// know the function.
func (x *executor) unaryString(overload string, a code) code {
	if a.constant != nil {
		return code{}
	}
	out := code{cost: a.cost + 1, id: x.identity()}
	switch overload {
	case overloads.StringToInt:
		out.kind, out.int = kindInt, conversion(a, out.id, types.IntType, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	case overloads.StringToDouble:
		out.kind, out.double = kindDouble, conversion(a, out.id, types.DoubleType, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	case overloads.StringToDuration:
		out.kind, out.int = kindDuration, conversion(a, out.id, types.DurationType, func(s string) (int64, error) {
			d, err := time.ParseDuration(s)
			return int64(d), err
		})
	case "string_lower_ascii":
		return x.rewritten(a, lowerASCII)
	case "string_trim":
		return x.rewritten(a, strings.TrimSpace)
	default:
		return code{}
	}
	return out
}

// conversion returns the closure of a conversion from a string.
func conversion[T any](a code, own identity, to *types.Type, parse func(string) (T, error)) func(*frame) T {
	s, operandID := a.string, a.id
	what := &fault{text: types.NewErr("type conversion error from '%s' to '%s'", types.StringType, to).(*types.Err).Error()}
	return func(f *frame) T {
		text := s(f)
		if f.bail {
			var none T
			f.pass(operandID, own)
			return none
		}
		v, err := parse(text)
		if err != nil {
			f.fail(what, own)
		}
		return v
	}
}

// rewritten compiles a function that makes another string of one. It costs a
// tenth of the size.
func (x *executor) rewritten(a code, rewrite func(string) string) code {
	s, operandID, own := a.string, a.id, x.identity()
	return code{kind: kindString, cost: a.cost, id: own, string: func(f *frame) string {
		v := s(f)
		if f.bail {
			f.pass(operandID, own)
			v = failedText
		}
		f.cost += tenth(utf8.RuneCountInString(v))
		return rewrite(v)
	}}
}

// lowerASCII returns s with the letters of ASCII in lower case, and with the
// replacement character for bytes that are no UTF-8.
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
