package search

import (
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// A truth says whether a value satisfies a condition.
type truth int8

const (
	no      truth = -1
	unknown truth = 0
	yes     truth = 1
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// Satisfied reports whether v satisfies c. It returns false if an opaque condition decides.
func (s *Solver) Satisfied(c *Cond, v any) bool { return s.eval(c, v) == yes }

func (s *Solver) eval(c *Cond, v any) truth {
	switch c.kind {
	case constant:
		return truthOf(c.other)
	case and, or:
		return combined(c.subs, truthOf(c.kind == or), func(sub *Cond) truth { return s.eval(sub, v) })
	case types:
		return truthOf(c.mask&TypeOf(v) != 0)
	case enum:
		return truthOf(slices.ContainsFunc(c.equal[enumKey(v)], func(x any) bool { return equal(x, v) }) != c.neg)
	case opaque:
		return unknown
	case relation:
		return truthOf(c.mask&order(v, c.keys[0], c.keys[1]) != 0)
	}
	if about[c.kind]&TypeOf(v) == 0 {
		return truthOf(c.other)
	}
	switch v := v.(type) {
	case string:
		return truthOf(s.evalString(c, v) != c.neg)
	case []any:
		return s.evalList(c, v)
	case map[string]any:
		return s.evalObject(c, v)
	case bool:
		return truthOf(v != c.neg)
	}
	return truthOf(evalNumber(c, number(v)) != c.neg)
}

// combined returns the truth of a conjunction (decisive is no) or a disjunction (decisive is yes).
func combined[T any](parts []T, decisive truth, judge func(T) truth) truth {
	out := -decisive
	for _, part := range parts {
		switch judge(part) {
		case decisive:
			return decisive
		case unknown:
			out = unknown
		}
	}
	return out
}

func (s *Solver) evalAnd(list []*Cond, v any) truth {
	return combined(list, no, func(c *Cond) truth { return s.eval(c, v) })
}

// evalAll reports whether every value satisfies c (if every is true), or some value does (if not).
func (s *Solver) evalAll(every bool, c *Cond, values []any) truth {
	return combined(values, truthOf(!every), func(v any) truth { return s.eval(c, v) })
}

func evalNumber(c *Cond, x float64) bool {
	if c.kind == multipleOf {
		return isMultiple(x, c.x)
	}
	return x < c.x || !c.strict && x == c.x
}

// isMultiple reports whether x is a multiple of divisor. It divides like kube-apiserver.
func isMultiple(x, divisor float64) bool {
	quotient := x / divisor
	if divisor < 1 {
		quotient = 1 / divisor * x
	}
	return quotient == math.Trunc(quotient)
}

func (s *Solver) evalString(c *Cond, v string) bool {
	switch c.kind {
	case minRunes:
		return int64(utf8.RuneCountInString(v)) >= c.n
	case matches:
		p := s.pattern(c.text)
		return p != nil && p.Match(v)
	}
	return hasFormatNamed(c.text, v)
}

func (s *Solver) evalList(c *Cond, v []any) truth {
	switch c.kind {
	case minItems:
		return truthOf((int64(len(v)) >= c.n) != c.neg)
	case distinct:
		return truthOf(allDistinct(v, c.keys) != c.neg)
	}
	return s.evalAll(c.kind == everyItem, c.subs[0], v)
}

func (s *Solver) evalObject(c *Cond, v map[string]any) truth {
	switch c.kind {
	case at, ifAt:
		if member, ok := v[c.text]; ok {
			return s.eval(c.subs[0], member)
		}
		return truthOf(c.kind == ifAt)
	case minProps:
		return truthOf((int64(len(v)) >= c.n) != c.neg)
	}
	var values []any
	for name, member := range v {
		if !slices.Contains(c.keys, name) {
			values = append(values, member)
		}
	}
	return s.evalAll(c.kind == everyOther, c.subs[0], values)
}

// TypeOf returns the type of a decoded value.
func TypeOf(v any) Mask {
	switch v := v.(type) {
	case nil:
		return Null
	case bool:
		return Bool
	case string:
		return String
	case []any:
		return Array
	case map[string]any:
		return Object
	case float64:
		if v != math.Trunc(v) {
			return Fraction
		}
	}
	return Integer
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// equal reports whether two decoded values are equal. Numbers are compared by value.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	_, isInt := a.(int64)
	if _, same := b.(int64); same != isInt {
		return number(a) == number(b)
	}
	return TypeOf(b)&(Array|Object) == 0 && a == b
}

// enumKey returns a key for maps. Equal values have the same key.
func enumKey(v any) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case []any:
		return [1]int{len(v)}
	case map[string]any:
		return [1]int{len(v)}
	}
	return v
}

// allDistinct compares elements like kube-apiserver: 1 and 1.0 differ.
func allDistinct(list []any, keys []string) bool {
	for i, v := range list {
		for _, w := range list[:i] {
			if sameKeys(v, w, keys) {
				return false
			}
		}
	}
	return true
}

func sameKeys(v, w any, keys []string) bool {
	if len(keys) == 0 {
		return jsonval.Equal(v, w)
	}
	a, _ := v.(map[string]any)
	b, _ := w.(map[string]any)
	for _, key := range keys {
		if !jsonval.Equal(a[key], b[key]) {
			return false
		}
	}
	return true
}
