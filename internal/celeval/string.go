package celeval

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

	"github.com/crdkit/crdkit/internal/celvalue"
	"github.com/crdkit/crdkit/internal/pattern"
)

// This file compiles functions of strings. Their size is in code points. Most
// functions cost a tenth of it.

const operatorSize = "size"

// size compiles size() of operands that need no boxes.
func (x *compiler) size(overload string, a operand) operand {
	operandID, own := a.id, x.identity()
	out := operand{cost: a.cost + 1, id: own}
	switch {
	case overload == "":
		return operand{}
	case a.kind() == kindString:
		s := closureOf[string](a)
		out.value = as(kindInt, func(f *Frame) int64 {
			v := s(f)
			if f.failed {
				f.propagate(operandID, own)
			}
			return int64(utf8.RuneCountInString(v))
		})
	case a.kind() == kindStrings:
		out.value = as(kindInt, lengthOf(closureOf[[]string](a), operandID, own))
	case a.kind() == kindRaw && a.declared.IsList():
		out.value = as(kindInt, lengthOf(a.elements(), operandID, own))
	case a.kind() == kindRaw && a.declared.Kind == celvalue.KindObject:
		object, what := a.raw, a.absent
		out.value = as(kindInt, func(f *Frame) int64 {
			v := object(f)
			m, ok := v.(map[string]any)
			if !ok {
				f.failRead(v, what, operandID)
				f.propagate(operandID, own)
			}
			return int64(len(m))
		})
	default:
		return operand{}
	}
	return out
}

// lengthOf returns the closure of the length of a list.
func lengthOf[E any, F ~func(*Frame) []E](list F, operandID, own identity) func(*Frame) int64 {
	return func(f *Frame) int64 {
		l := list(f)
		if f.failed {
			f.propagate(operandID, own)
		}
		return int64(len(l))
	}
}

func (x *compiler) binaryString(name, overload string, a, b operand) operand {
	if is := order[string](name); is != nil {
		return x.stringTest(a, b, is, smaller)
	}
	switch overload {
	case overloads.StartsWithString:
		return x.stringTest(a, b, strings.HasPrefix, func(_, b int) uint64 { return tenthOf(b) })
	case overloads.EndsWithString:
		return x.stringTest(a, b, strings.HasSuffix, func(_, b int) uint64 { return tenthOf(b) })
	case overloads.ContainsString:
		return x.stringTest(a, b, strings.Contains, func(a, b int) uint64 { return tenthOf(a) * tenthOf(b) })
	case overloads.MatchesString, overloads.Matches:
		return x.matches(a, b)
	case "string_find_string":
		return x.find(a, b)
	case overloads.AddString:
		return x.concatenation(a, b)
	}
	return operand{}
}

func smaller(a, b int) uint64 { return tenthOf(min(a, b)) }

// stringTest compiles a predicate on two strings that costs by their sizes.
func (x *compiler) stringTest(a, b operand, is func(a, b string) bool, cost func(a, b int) uint64) operand {
	l, r, o := closureOf[string](a), closureOf[string](b), x.operandIDs(a, b)
	out := operand{cost: costs(a, b, 0), id: o.own}
	if text, ok := b.constant.(types.String); ok {
		known, size := string(text), utf8.RuneCountInString(string(text))
		if cost(0, size) == cost(math.MaxInt32, size) {
			out.cost += cost(0, size)
			out.value = as(kindBool, func(f *Frame) bool {
				v := l(f)
				if f.failed {
					f.propagate(o.left, o.own)
				}
				return is(v, known)
			})
			return out
		}
		out.value = as(kindBool, func(f *Frame) bool {
			v := l(f)
			if f.failed {
				f.propagate(o.left, o.own)
				v = errorText
			}
			f.cost += cost(utf8.RuneCountInString(v), size)
			return is(v, known)
		})
		return out
	}
	out.value = as(kindBool, func(f *Frame) bool {
		v := l(f)
		if f.failed {
			w, failed := evalRight(f, o, r)
			if failed {
				w = errorText
			}
			f.cost += cost(1, utf8.RuneCountInString(w))
			return false
		}
		w := r(f)
		if f.failed {
			f.propagate(o.right, o.own)
			w = errorText
		}
		f.cost += cost(utf8.RuneCountInString(v), utf8.RuneCountInString(w))
		return is(v, w)
	})
	return out
}

// matches compiles a match with a constant regular expression. It costs nothing
// if its operand fails.
func (x *compiler) matches(a, b operand) operand {
	text, ok := b.constant.(types.String)
	if !ok {
		return operand{}
	}
	p, err := pattern.Compile(string(text))
	if err != nil {
		return x.refuse("pattern")
	}
	s, each := closureOf[string](a), patternCost(string(text))
	operandID, own := a.id, x.identity()
	return operand{cost: a.cost, id: own, value: as(kindBool, func(f *Frame) bool {
		v := s(f)
		if f.failed {
			f.propagate(operandID, own)
			return false
		}
		f.cost += searchCost(v) * each
		return p.Match(v)
	})}
}

// find compiles the search for the first match of a constant regular expression.
func (x *compiler) find(a, b operand) operand {
	text, ok := b.constant.(types.String)
	if !ok {
		return operand{}
	}
	re, err := regexp.Compile(string(text))
	if err != nil {
		return x.refuse("pattern")
	}
	s, each := closureOf[string](a), patternCost(string(text))
	return operand{cost: a.cost, value: as(kindString, func(f *Frame) string {
		v := s(f)
		f.cost += searchCost(v) * each
		return re.FindString(v)
	})}
}

// searchCost returns the cost of searching a string, to be multiplied by
// patternCost.
func searchCost(s string) uint64 {
	return uint64(math.Ceil((1.0 + float64(utf8.RuneCountInString(s))) * 0.1))
}

func patternCost(p string) uint64 {
	return uint64(math.Ceil(float64(utf8.RuneCountInString(p)) * 0.25))
}
