package celeval

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/overloads"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
)

// toString compiles string(), which costs one unit. The operand has no kind if it needs
// boxes.
func (x *compiler) toString(name, overload string, a operand) operand {
	if a.constant != nil {
		return operand{}
	}
	switch {
	case overload == overloads.IntToString && a.kind() == kindInt:
		return toStringOf(a, closureOf[int64](a), func(i int64) string { return strconv.FormatInt(i, 10) })
	case overload == overloads.BoolToString && a.kind() == kindBool:
		return toStringOf(a, closureOf[bool](a), strconv.FormatBool)
	case overload == overloads.DoubleToString && a.kind() == kindDouble:
		return toStringOf(a, closureOf[float64](a), func(d float64) string { return fmt.Sprintf("%g", d) })
	case overload == overloads.StringToString && a.kind() == kindString:
		return toStringOf(a, closureOf[string](a), func(s string) string { return s })
	case name == overloads.TypeConvertString && overload == "" && a.isIntOrString():
		return intOrStringToString(a)
	}
	return operand{}
}

func toStringOf[T any, F ~func(*Frame) T](a operand, of F, spell func(T) string) operand {
	return operand{cost: a.cost + 1, value: as(kindString, func(f *Frame) string {
		return spell(of(f))
	})}
}

func intOrStringToString(a operand) operand {
	raw := a.raw
	return operand{cost: a.cost + 1, value: as(kindString, func(f *Frame) string {
		switch v := raw(f).(type) {
		case string:
			return v
		case int64:
			return strconv.FormatInt(v, 10)
		}
		f.unfit()
		return ""
	})}
}

func (o operand) sumTerms() []func(*Frame) string {
	if terms := o.terms; terms != nil {
		return terms
	}
	return []func(*Frame) string{closureOf[string](o)}
}

// concatenation compiles + of strings. It makes a sum at once, but each + costs its own
// tenth.
func (x *compiler) concatenation(a, b operand) operand {
	all := append(append([]func(*Frame) string(nil), a.sumTerms()...), closureOf[string](b))
	return operand{cost: costs(a, b, 0), terms: all, value: as(kindString, func(f *Frame) string {
		base := len(f.texts)
		bytes, size := 0, 0
		var what *EvalError
		for i := range all {
			v := all[i](f)
			n := utf8.RuneCountInString(v)
			if f.failed {
				failed := f.takeError()
				if failed == nil {
					f.texts = f.texts[:base]
					return ""
				}
				if n = len(errorText); what == nil {
					what = failed
				}
			}
			if i > 0 {
				f.pay(tenthOf(size + n))
			}
			if f.failed {
				f.texts = f.texts[:base]
				return ""
			}
			bytes += len(v)
			if size += n; what != nil {
				size = len(errorText)
			}
			f.texts = append(f.texts, v)
		}
		if what != nil {
			f.texts = f.texts[:base]
			f.fail(what)
			return ""
		}
		if !f.take(uint64(bytes)) {
			f.texts = f.texts[:base]
			return ""
		}
		var sum strings.Builder
		sum.Grow(bytes)
		for _, v := range f.texts[base:] {
			sum.WriteString(v)
		}
		f.texts = f.texts[:base]
		return sum.String()
	})}
}

// join compiles join of a list of strings, which costs a fifth of the size of the result.
func join(a, b operand) operand {
	list, sep := a.elements(), closureOf[string](b)
	return operand{cost: costs(a, b, 0), value: as(kindString, func(f *Frame) (sum string) {
		l, by, left, right, ok := both(f, list, sep)
		if !ok {
			return ""
		}
		if left != nil || right != nil {
			f.pay(tenthOf(2 * len(errorText)))
			f.failEither(left, right)
			return ""
		}
		base, size := len(f.texts), max(len(l)-1, 0)*utf8.RuneCountInString(by)
		bytes := len(l) * len(by)
		for _, e := range l {
			s, ok := e.(string)
			if !ok {
				f.decline()
			}
			bytes += len(s)
			size += utf8.RuneCountInString(s)
			f.texts = append(f.texts, s)
		}
		if f.cost+tenthOf(2*size) > f.Limit {
			f.decline()
		}
		if f.take(uint64(bytes)) {
			sum = strings.Join(f.texts[base:], by)
			f.pay(tenthOf(2 * utf8.RuneCountInString(sum)))
		}
		f.texts = f.texts[:base]
		return sum
	})}
}

// split compiles split, which costs a fifth of the size of the string.
func split(a, b operand) operand {
	s, sep := closureOf[string](a), closureOf[string](b)
	list := func(f *Frame) []any {
		v, by, left, right, ok := both(f, s, sep)
		if !ok {
			return nil
		}
		if left != nil {
			v = errorText
		}
		f.pay(tenthOf(2 * utf8.RuneCountInString(v)))
		if f.failEither(left, right) || !f.take(cellib.ElementBytes*cellib.Pieces(v, by)) {
			return nil
		}
		at := f.list()
		for piece := range strings.SplitSeq(v, by) {
			f.lists[at] = append(f.lists[at], piece)
		}
		return f.lists[at]
	}
	return operand{cost: costs(a, b, 0), declared: celvalue.StringList,
		list: list, raw: func(f *Frame) any { return list(f) }}
}
