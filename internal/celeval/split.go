package celeval

import (
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cellib"
	"github.com/crdkit/crdkit/internal/celvalue"
)

// This file compiles functions that split and join strings. The frame keeps the
// lists of strings that they make. Such a list is boxed only where a bridged
// function reads it.

// stringCall compiles such a function by its overload. It returns an operand
// without kind for other calls.
func (x *compiler) stringCall(overload string, args []operand) operand {
	switch {
	case overload == "string_split_string" && args[0].kind() == kindString && args[1].kind() == kindString:
		return x.split(args[0], args[1])
	case overload == "list_join" && len(args) == 1:
		return x.join(args[0], operand{value: as(kindString, func(*Frame) string { return "" })})
	case overload == "list_join_string" && args[1].kind() == kindString:
		return x.join(args[0], args[1])
	case overload == "string_replace_string_string" && args[0].kind() == kindString && args[1].kind() == kindString && args[2].kind() == kindString:
		return replacement(args[0], args[1], args[2])
	case overload == "string_substring_int" && args[0].kind() == kindString && args[1].kind() == kindInt:
		return substring(args[0], args[1], operand{})
	case overload == "string_substring_int_int" && args[0].kind() == kindString && args[1].kind() == kindInt && args[2].kind() == kindInt:
		return substring(args[0], args[1], args[2])
	case overload == "string_upper_ascii" && args[0].kind() == kindString:
		return x.rewritten(args[0], upperASCII)
	}
	return operand{}
}

// split compiles split, which costs a fifth of the size of the string.
func (x *compiler) split(a, b operand) operand {
	s, sep, o := closureOf[string](a), closureOf[string](b), x.operandIDs(a, b)
	return operand{cost: costs(a, b, 0), id: o.own, value: as(kindStrings, func(f *Frame) []string {
		v := s(f)
		if f.failed {
			f.pay(tenthOf(2 * len(errorText)))
			evalRight(f, o, sep)
			return nil
		}
		w := sep(f)
		f.pay(tenthOf(2 * utf8.RuneCountInString(v)))
		if f.failed {
			f.propagate(o.right, o.own)
			return nil
		}
		if !f.take(cellib.SplitPieces(v, w) * cellib.ElementBytes) {
			return nil
		}
		if f.usedStringLists == len(f.stringLists) {
			f.stringLists = append(f.stringLists, nil)
		}
		at := f.usedStringLists
		f.rare = true
		f.usedStringLists++
		f.filledStringLists = max(f.filledStringLists, f.usedStringLists)
		f.stringLists[at] = splitInto(f.stringLists[at][:0], v, w)
		return f.stringLists[at]
	})}
}

// splitInto is [strings.Split] into a slice.
func splitInto(texts []string, s, sep string) []string {
	if sep == "" {
		return append(texts, strings.Split(s, sep)...)
	}
	for {
		before, after, found := strings.Cut(s, sep)
		texts = append(texts, before)
		if !found {
			return texts
		}
		s = after
	}
}

// join compiles join, which costs a fifth of the size of the result.
func (x *compiler) join(a, b operand) operand {
	sep := closureOf[string](b)
	var join func(f *Frame, sep string) (string, bool)
	switch {
	case closureOf[[]string](a) != nil:
		texts := closureOf[[]string](a)
		join = func(f *Frame, sep string) (string, bool) { return joined(f, texts(f), sep, textOf) }
	case a.kind() == kindRaw && a.declared.IsList() && a.declared.Items.Kind == celvalue.KindString:
		list := a.elements()
		join = func(f *Frame, sep string) (string, bool) { return joined(f, list(f), sep, rawText) }
	default:
		return operand{}
	}
	return operand{cost: costs(a, b, 0), value: as(kindString, func(f *Frame) string {
		out, ok := join(f, sep(f))
		if !ok || f.failed {
			f.decline()
			return ""
		}
		f.pay(tenthOf(2 * utf8.RuneCountInString(out)))
		return out
	})}
}

func textOf(s string) (string, bool) { return s, true }

func rawText(v any) (string, bool) {
	s, ok := v.(string)
	return s, ok
}

// joined joins the texts of a list. It is not ok if an element has no text. Before
// it makes the result it pays for it if that exceeds the limit.
func joined[E any](f *Frame, list []E, sep string, text func(E) (string, bool)) (_ string, ok bool) {
	n := max(0, len(list)-1) * len(sep)
	for _, e := range list {
		s, ok := text(e)
		if !ok {
			return "", false
		}
		n += len(s)
	}
	if units := tenthOf(2 * n); f.failed || f.cost+units > f.ceiling && !f.affords(tenthOf(2*joinedSize(list, sep, text))) || !f.take(uint64(n)) {
		return "", false
	}
	var sum strings.Builder
	sum.Grow(n)
	for i, e := range list {
		if i > 0 {
			sum.WriteString(sep)
		}
		s, _ := text(e)
		sum.WriteString(s)
	}
	return sum.String(), true
}

// joinedSize returns the size of a joined list in code points.
func joinedSize[E any](list []E, sep string, text func(E) (string, bool)) int {
	n := max(0, len(list)-1) * utf8.RuneCountInString(sep)
	for _, e := range list {
		s, _ := text(e)
		n += utf8.RuneCountInString(s)
	}
	return n
}

// replacement compiles replace, which costs a fifth of the size of the first
// string.
func replacement(a, b, c operand) operand {
	s, old, with := closureOf[string](a), closureOf[string](b), closureOf[string](c)
	return operand{cost: a.cost + b.cost + c.cost, value: as(kindString, func(f *Frame) string {
		v := s(f)
		w := old(f)
		u := with(f)
		if f.failed {
			f.failedAt = 0
			return ""
		}
		f.pay(tenthOf(2 * utf8.RuneCountInString(v)))
		if !f.take(cellib.ReplacedSize(v, w, u, -1)) {
			return ""
		}
		return strings.ReplaceAll(v, w, u)
	})}
}

// substring compiles substring, which costs a tenth of the size of the string.
func substring(a, from, to operand) operand {
	s, start, end := closureOf[string](a), closureOf[int64](from), closureOf[int64](to)
	return operand{cost: a.cost + from.cost + to.cost, value: as(kindString, func(f *Frame) string {
		v := s(f)
		n := int64(utf8.RuneCountInString(v))
		i, j := start(f), n
		if end != nil {
			j = end(f)
		}
		if f.failed || i < 0 || i > j || j > n {
			f.decline()
			return ""
		}
		f.pay(tenthOf(int(n)))
		switch {
		case f.failed:
			return ""
		case n == int64(len(v)) && utf8.ValidString(v):
			return v[i:j]
		case !f.take(uint64(len(v)) * 4):
			return ""
		}
		return string([]rune(v)[i:j])
	})}
}
