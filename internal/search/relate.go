package search

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// relate searches an object in which two members compare as c wants. v has another
// order of them. It fixes one member and turns the relation into a condition on
// the other.
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
	return undecided(noOrder)
}

// reversed returns the orders as seen from the other side.
func reversed(orders Mask) Mask {
	return orders&(Same|NoOrder) | orders&Less<<2 | orders&Greater>>2
}

// relatedTo holds for values to which fixed has one of the orders.
func relatedTo(fixed any, orders Mask) *Cond {
	var alternatives []*Cond
	if orders&Same != 0 {
		alternatives = append(alternatives, Enum(fixed))
	}
	if TypeOf(fixed)&Number != 0 {
		if orders&Less != 0 {
			alternatives = append(alternatives, AtLeast(number(fixed), true))
		}
		if orders&Greater != 0 {
			alternatives = append(alternatives, AtMost(number(fixed), true))
		}
	} else if orders&(Less|Greater) != 0 || orders&NoOrder != 0 && TypeOf(fixed)&(Bool|Array|Object) != 0 {
		alternatives = append(alternatives, And(Types(TypeOf(fixed)), Not(Enum(fixed))))
	}
	return Or(alternatives...)
}

// pivots returns values for the member at a path: those that the two members have,
// and a value that the conditions allow.
func (s *Solver) pivots(v any, path, other string, rest []*Cond) []any {
	var out []any
	add := func(x any) {
		if TypeOf(x) != Null && !slices.ContainsFunc(out, func(y any) bool { return Equal(x, y) }) {
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
