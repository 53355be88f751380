// Package defaultvalue fills a default with the defaults of the fields below it. A filled default
// can be set without a walk.
//
//	filler := defaultvalue.NewFiller(100_000) // a limit for the values that it adds
//	v, filled := filler.Default(node)
//
// The fast path uses filled defaults. Package defaulting sets a declared default and then fills it.
package defaultvalue

import "github.com/crdkit/crdkit/schema"

// A Filler fills defaults with the defaults below them. It belongs to one goroutine. Defaults
// replace nulls in a default. If each default has n nulls, d levels have n to the power of d
// values. So a Filler has a limit.
type Filler struct {
	left int // number of values that may still be added
}

// NewFiller returns a Filler that adds at most limit values to all defaults together.
func NewFiller(limit int) *Filler { return &Filler{left: limit} }

// Default returns a filled copy of the default of n. n must have a default. If the limit is
// exceeded, it returns the default as declared, and false.
func (f *Filler) Default(n *schema.Node) (v any, filled bool) {
	v, _ = n.Default()
	if f.fill(v, n) {
		return v, true
	}
	f.left = 0
	v, _ = n.Default()
	return v, false
}

// add returns the default of n, and whether there is one. It reduces f.left by the number of
// values in the default, minus the number of values that it replaces.
func (f *Filler) add(n *schema.Node, replaced int) (any, bool) {
	d, ok := n.Default()
	if ok {
		f.left -= count(d) - replaced
	}
	return d, ok
}

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

// fill sets the defaults in v, in place. It returns false if the limit is exceeded.
func (f *Filler) fill(v any, n *schema.Node) bool {
	if !n.Facts().Has(schema.HasDefaults) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for name, p := range n.Properties() {
			if _, found := v[name]; !found {
				if d, ok := f.add(p, 0); ok {
					v[name] = d
				}
			}
		}
		additional, _ := n.AdditionalProperties()
		for name, e := range v {
			child := n.Property(name)
			if child == nil {
				child = additional
			}
			v[name] = f.element(e, child)
		}
	case []any:
		for i, e := range v {
			v[i] = f.element(e, n.Items())
		}
	}
	return f.left >= 0
}

// element returns v with its defaults set, or the default that replaces it.
func (f *Filler) element(v any, n *schema.Node) any {
	if v == nil && !n.Nullable() {
		if d, ok := f.add(n, 1); ok {
			v = d
		}
	}
	if f.left >= 0 {
		f.fill(v, n)
	}
	return v
}
