// Package defaultvalue fills the defaults of a schema with the defaults below them,
// so that a default that is set needs no walk.
//
//	filler := defaultvalue.NewFiller(100_000) // the most values that it adds
//	v, filled := filler.Default(node)
//
// The fast path uses it. Package defaulting sets a default as it is declared and then fills
// the copy.
package defaultvalue

import "github.com/crdkit/crdkit/schema"

// A Filler fills defaults with the defaults below them, for one goroutine. Defaults contain
// nulls that other defaults replace, n to the power of d of them on d levels, so a Filler
// counts what it adds.
type Filler struct {
	left int // how many values filling may still add
}

// NewFiller returns a Filler that adds at most limit values to all defaults together, and
// then no more.
func NewFiller(limit int) *Filler { return &Filler{left: limit} }

// Default returns a filled copy of the default of n, which must have one. Over the limit it
// is as declared, and not filled.
func (f *Filler) Default(n *schema.Node) (v any, filled bool) {
	v, _ = n.Default()
	if f.fill(v, n) {
		return v, true
	}
	f.left = 0
	v, _ = n.Default()
	return v, false
}

// add returns the default of n, if any, and counts the values beyond the replaced null or
// nothing.
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

// fill sets the defaults in v, which it changes. It reports whether the limit admits them.
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

// element returns v after filling it, or the filled default that replaces it.
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
