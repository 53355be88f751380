package search

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// Mask is a set of types of JSON values.
type Mask uint8

// The types of JSON values. Integers are the numbers without a fraction.
const (
	Null Mask = 1 << iota
	Bool
	Integer
	Fraction
	String
	Array
	Object

	Number = Integer | Fraction
	Any    = Null | Bool | Number | String | Array | Object
)

type kind uint8

const (
	constant kind = iota
	and
	or
	types
	enum
	opaque
	relation
	// The remaining kinds are about values of one type.
	isTrue
	atMost
	multipleOf
	minRunes
	matches
	hasFormat
	minItems
	distinct
	everyItem
	someItem
	at
	ifAt
	minProps
	everyOther
	someOther
)

// about has the types that each kind of condition restricts.
var about = [...]Mask{
	isTrue: Bool, atMost: Number, multipleOf: Number, minRunes: String, matches: String, hasFormat: String,
	minItems: Array, distinct: Array, everyItem: Array, someItem: Array,
	at: Object, ifAt: Object, minProps: Object, everyOther: Object, someOther: Object,
}

// A Cond is a condition on one value. It never changes.
type Cond struct {
	kind   kind
	neg    bool // the opposite of a kind that is not in duals
	other  bool // holds for values of other types; the value of a constant
	strict bool // atMost: excludes the bound
	mask   Mask // types, the truths of opaque, or the orders of relation
	n      int64
	x      float64
	text   string   // a pattern, format, member or name
	keys   []string // distinct: keys to compare; everyOther, someOther: members to skip; relation: paths
	values []any
	equal  map[any][]any // enum: the values by enumKey
	subs   []*Cond       // inner conditions; relation: that each member is present
}

var (
	// True holds for every value.
	True = &Cond{other: true}
	// False holds for no value.
	False = &Cond{}
)

// And holds if all conditions hold.
func And(list ...*Cond) *Cond { return junction(and, True, False, list) }

// Or holds if one of the conditions holds.
func Or(list ...*Cond) *Cond { return junction(or, False, True, list) }

// junction combines conditions. It leaves out neutral, and returns absorbing if the list has it.
func junction(k kind, neutral, absorbing *Cond, list []*Cond) *Cond {
	var subs []*Cond
	for _, c := range list {
		switch {
		case c == neutral:
		case c == absorbing:
			return absorbing
		case c.kind == k:
			subs = append(subs, c.subs...)
		default:
			subs = append(subs, c)
		}
	}
	switch len(subs) {
	case 0:
		return neutral
	case 1:
		return subs[0]
	}
	return &Cond{kind: k, subs: subs}
}

func boolean(b bool) *Cond {
	if b {
		return True
	}
	return False
}

// Types holds for values of these types.
func Types(mask Mask) *Cond {
	switch mask & Any {
	case 0:
		return False
	case Any:
		return True
	}
	return &Cond{kind: types, mask: mask & Any}
}

// Enum holds for the given values. It keeps the slice.
func Enum(values ...any) *Cond {
	equal := make(map[any][]any, len(values))
	for _, v := range values {
		key := enumKey(v)
		equal[key] = append(equal[key], v)
	}
	return &Cond{kind: enum, values: values, equal: equal}
}

// IsTrue holds for true.
func IsTrue() *Cond { return &Cond{kind: isTrue} }

// AtMost holds for numbers of at most x, or less than x if strict is true.
func AtMost(x float64, strict bool) *Cond { return &Cond{kind: atMost, x: x, strict: strict} }

// AtLeast holds for numbers of at least x, or more than x if strict is true.
func AtLeast(x float64, strict bool) *Cond {
	return &Cond{kind: atMost, neg: true, x: x, strict: !strict}
}

// MultipleOf holds for multiples of x.
func MultipleOf(x float64) *Cond { return &Cond{kind: multipleOf, x: x} }

// MinRunes holds for strings of at least n runes.
func MinRunes(n int64) *Cond { return &Cond{kind: minRunes, n: n} }

// Matches holds for strings that match an RE2 expression.
func Matches(expr string) *Cond { return &Cond{kind: matches, text: expr} }

// Format holds for strings of a format.
func Format(name string) *Cond { return &Cond{kind: hasFormat, text: name} }

// MinItems holds for lists of at least n elements.
func MinItems(n int64) *Cond { return &Cond{kind: minItems, n: n} }

// Distinct holds for lists whose elements all differ. If there are keys, only they are compared.
func Distinct(keys ...string) *Cond { return &Cond{kind: distinct, keys: keys} }

// EveryItem holds for lists whose elements all satisfy c.
func EveryItem(c *Cond) *Cond { return &Cond{kind: everyItem, subs: []*Cond{c}} }

// SomeItem holds for lists with an element that satisfies c.
func SomeItem(c *Cond) *Cond { return &Cond{kind: someItem, subs: []*Cond{c}} }

// At holds for objects with a member that satisfies c.
func At(name string, c *Cond) *Cond { return &Cond{kind: at, text: name, subs: []*Cond{c}} }

// IfAt holds for objects without the member, or whose member satisfies c.
func IfAt(name string, c *Cond) *Cond { return &Cond{kind: ifAt, text: name, subs: []*Cond{c}} }

// MinProps holds for objects with at least n members.
func MinProps(n int64) *Cond { return &Cond{kind: minProps, n: n} }

// EveryOther holds for objects whose members all satisfy c, except the named members.
func EveryOther(names []string, c *Cond) *Cond {
	return &Cond{kind: everyOther, keys: names, subs: []*Cond{c}}
}

// SomeOther holds for objects with a member that satisfies c and whose name is not in names.
func SomeOther(names []string, c *Cond) *Cond {
	return &Cond{kind: someOther, keys: names, subs: []*Cond{c}}
}

// Truths of an expression ([Opaque]) and orders of two members ([Relation]).
const (
	Holds  Mask = 1
	Fails  Mask = 2
	Errors Mask = 4

	Less    Mask = 1
	Same    Mask = 2
	Greater Mask = 4
	NoOrder Mask = 8
)

// Opaque holds if an expression has one of the truths [Holds], [Fails] and [Errors]. The solver
// cannot evaluate the expression. It only knows that the expression has one truth for each value.
func Opaque(name string, truths Mask) *Cond {
	return &Cond{kind: opaque, text: name, mask: truths}
}

// Relation holds if the members at two paths compare in one of the orders [Less], [Same],
// [Greater] and [NoOrder].
func Relation(a, b []string, orders Mask) *Cond {
	p, q := strings.Join(a, separator), strings.Join(b, separator)
	if p > q {
		p, q, orders = q, p, reversed(orders)
	}
	present := []*Cond{atPath(p, True), atPath(q, True)}
	return &Cond{kind: relation, text: p + separator + separator + q, keys: []string{p, q}, mask: orders, subs: present}
}

// Vacuous returns a condition that holds if c holds, and for values of types that c is not about.
func Vacuous(c *Cond) *Cond {
	out := *c
	out.other = true
	return &out
}

// Not returns the opposite of c.
func Not(c *Cond) *Cond {
	switch c.kind {
	case constant:
		return boolean(!c.other)
	case and, or:
		subs := make([]*Cond, len(c.subs))
		for i, sub := range c.subs {
			subs[i] = Not(sub)
		}
		if c.kind == and {
			return Or(subs...)
		}
		return And(subs...)
	case types:
		return Types(^c.mask)
	}
	out := *c
	switch c.kind {
	case opaque:
		out.mask = ^c.mask & (Holds | Fails | Errors)
		return &out
	case relation:
		out.mask = ^c.mask & (Less | Same | Greater | NoOrder)
		return &out
	}
	out.other = !c.other
	if dual, ok := duals[c.kind]; ok {
		out.kind, out.subs = dual, []*Cond{Not(c.subs[0])}
	} else {
		out.neg = !c.neg
	}
	return &out
}

var duals = map[kind]kind{
	everyItem: someItem, someItem: everyItem, at: ifAt, ifAt: at, everyOther: someOther, someOther: everyOther,
}

// Key returns a text. Conditions with equal texts are equal. Equivalent conditions may have
// different texts.
func (c *Cond) Key() string {
	values, err := json.Marshal(c.values)
	if err != nil {
		values = fmt.Append(nil, c.values)
	}
	subs := make([]string, len(c.subs))
	for i, sub := range c.subs {
		subs[i] = sub.Key()
	}
	return fmt.Sprintf("%d %t %t %t %d %d %g %q %q %s(%s)", c.kind, c.neg, c.other, c.strict, c.mask, c.n, c.x, c.text, c.keys, values, strings.Join(subs, ";"))
}

// relate searches an object whose members compare as c wants. It fixes one member and makes the
// relation a condition on the other member.
func (s *Solver) relate(c *Cond, v any, rest []*Cond) Result {
	a, b := c.keys[0], c.keys[1]
	if c.mask&NoOrder != 0 {
		for _, path := range c.keys {
			r := s.solve(append(slices.Clone(rest), Not(atPath(path, True))))
			if r.Status == Found && s.eval(c, r.Value) == yes {
				return r
			}
		}
	}
	for _, pivots := range [][2]string{{a, b}, {b, a}} {
		mask := c.mask
		if pivots[0] == b {
			mask = reversed(mask)
		}
		for _, fixed := range s.pivots(v, pivots[0], pivots[1], rest) {
			want := relatedTo(fixed, mask)
			r := s.solve(append(slices.Clone(rest), atPath(pivots[0], Enum(fixed)), atPath(pivots[1], want)))
			if r.Status == Found && s.eval(c, r.Value) == yes {
				return r
			}
		}
	}
	return undecided("no values in the wanted order were found")
}

// reversed returns the orders with the two sides swapped.
func reversed(orders Mask) Mask {
	return orders&(Same|NoOrder) | orders&Less<<2 | orders&Greater>>2
}

// relatedTo holds for v if the order of x and v is one of orders. [Less] means x < v.
func relatedTo(x any, orders Mask) *Cond {
	var alternatives []*Cond
	if orders&Same != 0 {
		alternatives = append(alternatives, Enum(x))
	}
	if TypeOf(x)&Number != 0 {
		if orders&Less != 0 {
			alternatives = append(alternatives, AtLeast(number(x), true))
		}
		if orders&Greater != 0 {
			alternatives = append(alternatives, AtMost(number(x), true))
		}
	} else if orders&(Less|Greater) != 0 || orders&NoOrder != 0 && TypeOf(x)&(Bool|Array|Object) != 0 {
		alternatives = append(alternatives, And(Types(TypeOf(x)), Not(Enum(x))))
	}
	return Or(alternatives...)
}

// pivots returns values to try for the member at path: the values at both paths, in v and in an
// object that satisfies rest, and numbers next to them.
func (s *Solver) pivots(v any, path, other string, rest []*Cond) []any {
	var out []any
	add := func(x any) {
		if TypeOf(x) != Null && !slices.ContainsFunc(out, func(y any) bool { return equal(x, y) }) {
			out = append(out, x)
		}
	}
	r := s.solve(append(slices.Clone(rest), atPath(path, True), atPath(other, True)))
	for _, model := range []any{v, r.Value} {
		for _, p := range []string{path, other} {
			x, ok := lookup(model, p)
			if !ok {
				continue
			}
			add(x)
			if TypeOf(x)&Number != 0 {
				add(jsonval.Wire(number(x) + 1))
				add(jsonval.Wire(number(x) - 1))
			}
		}
	}
	return out
}

const separator = "\x00" // between the names of a path

// atPath holds for objects with a member at path that satisfies c.
func atPath(path string, c *Cond) *Cond {
	if path == "" {
		return c
	}
	names := strings.Split(path, separator)
	for _, name := range slices.Backward(names) {
		c = At(name, c)
	}
	return c
}

// relationsOf returns the relations of a conjunction, one for each pair of paths.
func relationsOf(own []*Cond) []*Cond {
	var out []*Cond
	for _, c := range own {
		if c.kind != relation {
			continue
		}
		i := slices.IndexFunc(out, func(x *Cond) bool { return x.text == c.text })
		if i < 0 {
			out = append(out, c)
			continue
		}
		merged := *out[i]
		merged.mask &= c.mask
		out[i] = &merged
	}
	return out
}

// order returns how the members of v at two paths compare.
func order(v any, a, b string) Mask {
	x, okX := lookup(v, a)
	y, okY := lookup(v, b)
	if !okX || !okY {
		return NoOrder
	}
	switch {
	case equal(x, y):
		return Same
	case TypeOf(x)&Number != 0 && TypeOf(y)&Number != 0:
		if number(x) < number(y) {
			return Less
		}
		return Greater
	case TypeOf(x) == String && TypeOf(y) == String:
		if x.(string) < y.(string) {
			return Less
		}
		return Greater
	}
	return NoOrder
}

func lookup(v any, path string) (any, bool) {
	if path == "" {
		return v, true
	}
	for name := range strings.SplitSeq(path, separator) {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[name]; !ok {
			return nil, false
		}
	}
	return v, true
}
