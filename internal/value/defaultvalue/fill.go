// Package defaultvalue fills the defaults of a schema with the defaults below them,
// so that a default that is set needs no walk.
//
//	filler := defaultvalue.NewFiller(100_000) // the most values that it adds
//	v, filled := filler.Default(node)
//
// The fast path uses it. Package defaulting sets a default as it is declared and then
// fills the copy, as the server does.
package defaultvalue

import "github.com/crdkit/crdkit/schema"

// A Filler fills the defaults of a schema with the defaults below them. It is for
// one goroutine.
//
// Defaults can contain nulls that other defaults replace. A list of n nulls, each
// replaced by a list of n nulls, and so on for d levels, is a short schema with n
// to the power of d values. So a Filler counts the values of a default before it
// fills it.
type Filler struct {
	left  int // how many values filling may still add
	sizes map[*schema.Node]int
}

// NewFiller returns a Filler that adds at most limit values to all defaults
// together.
func NewFiller(limit int) *Filler {
	return &Filler{left: limit, sizes: make(map[*schema.Node]int)}
}

// tooLarge is the size of a default that exceeds every limit.
const tooLarge = 1 << 30

// Default returns a new copy of the default of n, filled with the defaults below
// it. n must have a default. If filling it would exceed the limit, Default
// reports false and returns the default as it is declared.
func (f *Filler) Default(n *schema.Node) (v any, filled bool) {
	v, _ = n.Default()
	growth := f.size(n) - count(v)
	if growth > f.left {
		return v, false
	}
	f.left -= growth
	fill(v, n)
	return v, true
}

// size returns the number of values in the filled default of n, 0 if there is no
// default.
func (f *Filler) size(n *schema.Node) int {
	size, done := f.sizes[n]
	if !done {
		if d, ok := n.Default(); ok {
			size = f.grown(d, n)
		}
		f.sizes[n] = size
	}
	return size
}

// grown returns the number of values in v once n has filled it.
func (f *Filler) grown(v any, n *schema.Node) int {
	if !hasDefaults(n) {
		return count(v)
	}
	total := 1
	switch v := v.(type) {
	case nil:
		return max(1, f.replacement(n))
	case map[string]any:
		for name, e := range v {
			total += f.grown(e, childOf(n, name))
		}
		for name, p := range n.Properties() {
			if _, found := v[name]; !found {
				total += f.size(p)
			}
		}
	case []any:
		for _, e := range v {
			total += f.grown(e, n.Items())
		}
	}
	return min(total, tooLarge)
}

// replacement returns the size of the default that replaces a null, 0 if the null
// stays.
func (f *Filler) replacement(n *schema.Node) int {
	if n.Nullable() {
		return 0
	}
	return f.size(n)
}

// count returns the number of values in v.
func count(v any) int {
	total := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			total += count(e)
		}
	case []any:
		for _, e := range v {
			total += count(e)
		}
	}
	return total
}

// fill sets the defaults in v, which it changes.
func fill(v any, n *schema.Node) {
	if !hasDefaults(n) {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, p := range n.Properties() {
			if _, found := v[name]; !found {
				if d, ok := p.Default(); ok {
					v[name] = d
				}
			}
		}
		for name, e := range v {
			v[name] = element(e, childOf(n, name))
		}
	case []any:
		for i, e := range v {
			v[i] = element(e, n.Items())
		}
	}
}

// element returns v after filling it, or the filled default that replaces it.
func element(v any, n *schema.Node) any {
	if v == nil && n != nil && !n.Nullable() {
		if d, ok := n.Default(); ok {
			v = d
		}
	}
	fill(v, n)
	return v
}

func hasDefaults(n *schema.Node) bool { return n != nil && n.Facts().Has(schema.HasDefaults) }

// childOf returns the schema of a member, nil if there is none.
func childOf(n *schema.Node, name string) *schema.Node {
	if p := n.Property(name); p != nil {
		return p
	}
	additional, _ := n.AdditionalProperties()
	return additional
}
