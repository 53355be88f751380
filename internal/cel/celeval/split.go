package celeval

import (
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/cel/cellib"
	"github.com/crdkit/crdkit/internal/cel/celvalue"
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
		return x.replacement(args[0], args[1], args[2])
	case overload == "string_substring_int" && args[0].kind() == kindString && args[1].kind() == kindInt:
		return x.substring(args)
	case overload == "string_substring_int_int" && args[0].kind() == kindString && args[1].kind() == kindInt && args[2].kind() == kindInt:
		return x.substring(args)
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
	switch {
	case a.kind() == kindStrings:
		return joinOf(a, b, x.operandIDs(a, b), closureOf[[]string](a), textOf)
	case a.kind() == kindRaw && a.declared.IsList() && a.declared.Items.Kind == celvalue.KindString:
		return joinOf(a, b, x.operandIDs(a, b), a.elements(), rawText)
	}
	return operand{}
}

func joinOf[E any, F ~func(*Frame) []E](a, b operand, o operandIDs, list F, text func(E) (string, bool)) operand {
	sep := closureOf[string](b)
	return operand{cost: costs(a, b, 0), id: o.own, value: as(kindString, func(f *Frame) string {
		l, s, left, right, ok := both(f, o, list, sep)
		switch {
		case !ok:
			return ""
		case left != nil || right != nil:
			f.pay(tenthOf(2 * len(errorText)))
			f.failEither(left, right, o.own)
			return ""
		}
		out, ok := joined(f, l, s, text)
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
	if units := tenthOf(2 * n); f.failed || f.cost+units > f.Limit && !f.affords(tenthOf(2*joinedSize(list, sep, text))) || !f.take(uint64(n)) {
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
func (x *compiler) replacement(a, b, c operand) operand {
	s, old, with := closureOf[string](a), closureOf[string](b), closureOf[string](c)
	own := x.identity()
	return operand{cost: a.cost + b.cost + c.cost, id: own, value: as(kindString, func(f *Frame) string {
		v := s(f)
		if f.failed {
			f.cost -= b.cost + c.cost
			f.propagate(a.id, own)
			return ""
		}
		w := old(f)
		if f.failed {
			f.cost -= c.cost
			f.propagate(b.id, own)
			return ""
		}
		u := with(f)
		if f.failed {
			f.pay(tenthOf(2 * utf8.RuneCountInString(v)))
			f.propagate(c.id, own)
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
func (x *compiler) substring(args []operand) operand {
	a, from := args[0], args[1]
	s, start := closureOf[string](a), closureOf[int64](from)
	own := x.identity()
	var to operand
	if len(args) == 3 {
		to = args[2]
	}
	failed := substringFailure{a: a.id, from: from.id, to: to.id, own: own, fromCost: from.cost, toCost: to.cost, three: len(args) == 3}
	end := closureOf[int64](to)
	return operand{cost: a.cost + from.cost + to.cost, id: own, value: as(kindString, func(f *Frame) string {
		v := s(f)
		if f.failed {
			return failed.first(f, start)
		}
		n := int64(utf8.RuneCountInString(v))
		i, j := start(f), n
		if f.failed {
			return failed.second(f, int(n))
		}
		if end != nil {
			if j = end(f); f.failed {
				f.pay(tenthOf(int(n)))
				f.propagate(failed.to, own)
				return ""
			}
		}
		f.pay(tenthOf(int(n)))
		switch {
		case f.failed:
			return ""
		case i < 0 || i > j || j > n:
			f.decline()
			return ""
		case n == int64(len(v)) && utf8.ValidString(v):
			return v[i:j]
		case !f.take(uint64(len(v)) * 4):
			return ""
		}
		return string([]rune(v)[i:j])
	})}
}

// A substringFailure says what a substring with a failed operand costs: both
// operands of two are evaluated and paid for, and those of three in turn.
type substringFailure struct {
	a, from, to, own identity
	fromCost, toCost uint64
	three            bool
}

// first makes a substring of a failed string fail.
func (s *substringFailure) first(f *Frame, start func(*Frame) int64) string {
	if s.three {
		f.cost -= s.fromCost + s.toCost
		f.propagate(s.a, s.own)
		return ""
	}
	if evalRight(f, operandIDs{s.a, s.from, s.own}, start); f.failedAt != 0 {
		f.pay(tenthOf(len(errorText)))
	}
	return ""
}

// second makes a substring with a failed first index fail.
func (s *substringFailure) second(f *Frame, size int) string {
	if s.three {
		f.cost -= s.toCost
	} else {
		f.pay(tenthOf(size))
	}
	f.propagate(s.from, s.own)
	return ""
}
