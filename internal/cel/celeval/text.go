package celeval

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/common/overloads"
)

// toString compiles string(), which costs one unit. It returns an operand without
// kind for operands that need boxes.
func (x *compiler) toString(name, overload string, a operand) operand {
	if a.constant != nil {
		return operand{}
	}
	switch own := x.identity(); {
	case overload == overloads.IntToString && a.kind() == kindInt:
		return toStringOf(a, closureOf[int64](a), own, func(i int64) string { return strconv.FormatInt(i, 10) })
	case overload == overloads.BoolToString && a.kind() == kindBool:
		return toStringOf(a, closureOf[bool](a), own, strconv.FormatBool)
	case overload == overloads.DoubleToString && a.kind() == kindDouble:
		return toStringOf(a, closureOf[float64](a), own, func(d float64) string { return fmt.Sprintf("%g", d) })
	case overload == overloads.StringToString && a.kind() == kindString:
		return toStringOf(a, closureOf[string](a), own, func(s string) string { return s })
	case name == overloads.TypeConvertString && overload == "" && a.isIntOrString():
		return intOrStringToString(a, own)
	}
	return operand{}
}

func toStringOf[T any, F ~func(*Frame) T](a operand, of F, own identity, spell func(T) string) operand {
	operandID := a.id
	return operand{cost: a.cost + 1, id: own, value: as(kindString, func(f *Frame) string {
		v := of(f)
		if f.failed {
			f.propagate(operandID, own)
			return ""
		}
		return spell(v)
	})}
}

func intOrStringToString(a operand, own identity) operand {
	raw, what, operandID := a.raw, a.absent, a.id
	return operand{cost: a.cost + 1, id: own, value: as(kindString, func(f *Frame) string {
		r := raw(f)
		switch v := r.(type) {
		case string:
			return v
		case int64:
			return strconv.FormatInt(v, 10)
		}
		f.failRead(r, what, operandID)
		f.propagate(operandID, own)
		return ""
	})}
}

// A term is an operand of a sum of strings.
type term struct {
	string func(*Frame) string
	id     identity
}

func (o operand) sumTerms() []term {
	if terms := o.extras().terms; terms != nil {
		return terms
	}
	return []term{{string: closureOf[string](o), id: o.id}}
}

// concatenation compiles + of strings. It makes the sum of several terms at once,
// but each + costs a tenth of its own size.
func (x *compiler) concatenation(a, b operand) operand {
	all := append(append([]term(nil), a.sumTerms()...), term{string: closureOf[string](b), id: b.id})
	own := x.identity()
	return operand{cost: costs(a, b, 0), id: own, extra: &extras{terms: all}, value: as(kindString, func(f *Frame) string {
		base := len(f.texts)
		f.rare = true
		bytes, size := 0, 0
		var what *EvalError
		for i := range all {
			v := all[i].string(f)
			n := utf8.RuneCountInString(v)
			if f.failed {
				failed := f.takeError(all[i].id)
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
			if f.stopped != nil {
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
			f.fail(what, own)
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
