package cel

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"

	"github.com/crdkit/crdkit/internal/pattern"
)

// Strings. Their size is that in code points, and most of what reads them costs
// a tenth of that.

const operatorSize = "size"

// size compiles the size of what is read natively.
func (x *executor) size(overload string, a code) code {
	operandID, own := a.id, x.identity()
	out := code{kind: kindInt, cost: a.cost + 1, id: own}
	switch {
	case overload == "":
		return code{}
	case a.kind == kindString:
		s := a.string
		out.int = func(f *frame) int64 {
			v := s(f)
			if f.bail {
				f.pass(operandID, own)
			}
			return int64(utf8.RuneCountInString(v))
		}
	case a.texts != nil:
		words := a.texts
		out.int = func(f *frame) int64 {
			l := words(f)
			if f.bail {
				f.pass(operandID, own)
			}
			return int64(len(l))
		}
	case a.kind == kindRaw && a.shape.isList():
		list := a.elements()
		out.int = func(f *frame) int64 {
			l := list(f)
			if f.bail {
				f.pass(operandID, own)
			}
			return int64(len(l))
		}
	case a.kind == kindRaw && a.shape.kind == shapeObject:
		object, what := a.raw, a.fault
		out.int = func(f *frame) int64 {
			v := object(f)
			m, ok := v.(map[string]any)
			if !ok {
				f.unfit(v, what, operandID)
				f.pass(operandID, own)
			}
			return int64(len(m))
		}
	default:
		return code{}
	}
	return out
}

func (x *executor) binaryString(overload string, a, b code) code {
	switch overload {
	case overloads.StartsWithString:
		return x.stringTest(a, b, strings.HasPrefix, func(_, b int) uint64 { return tenth(b) })
	case overloads.EndsWithString:
		return x.stringTest(a, b, strings.HasSuffix, func(_, b int) uint64 { return tenth(b) })
	case overloads.ContainsString:
		return x.stringTest(a, b, strings.Contains, func(a, b int) uint64 { return tenth(a) * tenth(b) })
	case overloads.LessString:
		return x.stringTest(a, b, func(a, b string) bool { return a < b }, smaller)
	case overloads.LessEqualsString:
		return x.stringTest(a, b, func(a, b string) bool { return a <= b }, smaller)
	case overloads.GreaterString:
		return x.stringTest(a, b, func(a, b string) bool { return a > b }, smaller)
	case overloads.GreaterEqualsString:
		return x.stringTest(a, b, func(a, b string) bool { return a >= b }, smaller)
	case overloads.MatchesString, overloads.Matches:
		return x.matches(a, b)
	case "string_find_string":
		return x.find(a, b)
	case overloads.AddString:
		return x.concatenation(a, b)
	}
	return code{}
}

func smaller(a, b int) uint64 { return tenth(min(a, b)) }

// stringTest compiles a test of two strings, which costs by their sizes.
func (x *executor) stringTest(a, b code, is func(a, b string) bool, cost func(a, b int) uint64) code {
	l, r, o := a.string, b.string, x.operands(a, b)
	out := code{kind: kindBool, cost: costs(a, b, 0), id: o.own}
	if text, ok := b.constant.(types.String); ok {
		known, size := string(text), utf8.RuneCountInString(string(text))
		if cost(0, size) == cost(math.MaxInt32, size) {
			out.cost += cost(0, size)
			out.bool = func(f *frame) bool {
				v := l(f)
				if f.bail {
					f.pass(o.left, o.own)
				}
				return is(v, known)
			}
			return out
		}
		out.bool = func(f *frame) bool {
			v := l(f)
			if f.bail {
				f.pass(o.left, o.own)
				v = failedText
			}
			f.cost += cost(utf8.RuneCountInString(v), size)
			return is(v, known)
		}
		return out
	}
	out.bool = func(f *frame) bool {
		v := l(f)
		if f.bail {
			w, failed := afterLeft(f, o, r)
			if failed {
				w = failedText
			}
			f.cost += cost(1, utf8.RuneCountInString(w))
			return false
		}
		w := r(f)
		if f.bail {
			f.pass(o.right, o.own)
			w = failedText
		}
		f.cost += cost(utf8.RuneCountInString(v), utf8.RuneCountInString(w))
		return is(v, w)
	}
	return out
}

// matches compiles a test by an expression that is known. If there is no text to
// test it costs nothing.
func (x *executor) matches(a, b code) code {
	text, ok := b.constant.(types.String)
	if !ok {
		return code{}
	}
	p, err := pattern.Compile(string(text))
	if err != nil {
		return x.refuse("pattern")
	}
	s, each := a.string, patternCost(string(text))
	operandID, own := a.id, x.identity()
	return code{kind: kindBool, cost: a.cost, id: own, bool: func(f *frame) bool {
		v := s(f)
		if f.bail {
			f.pass(operandID, own)
			return false
		}
		f.cost += searchCost(v) * each
		return p.Match(v)
	}}
}

// find compiles the search for the first match of an expression that is known.
func (x *executor) find(a, b code) code {
	text, ok := b.constant.(types.String)
	if !ok {
		return code{}
	}
	re, err := regexp.Compile(string(text))
	if err != nil {
		return x.refuse("pattern")
	}
	s, each := a.string, patternCost(string(text))
	return code{kind: kindString, cost: a.cost, string: func(f *frame) string {
		v := s(f)
		f.cost += searchCost(v) * each
		return re.FindString(v)
	}}
}

// searchCost is what looking for a pattern in a string costs, per patternCost.
func searchCost(s string) uint64 {
	return uint64(math.Ceil((1.0 + float64(utf8.RuneCountInString(s))) * 0.1))
}

func patternCost(p string) uint64 {
	return uint64(math.Ceil(float64(utf8.RuneCountInString(p)) * 0.25))
}
