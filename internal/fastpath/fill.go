package fastpath

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// maxFilled bounds by how many values the defaults of one schema may grow
// together when they are filled in with one another.
const maxFilled = 1 << 16

// fill returns the default of n, nil if there is none.
func (c *compiler) fill(n *schema.Node) *defaultText {
	if done, ok := c.fills[n]; ok {
		return done
	}
	var out *defaultText
	if d, ok := n.Default(); ok {
		f := filler{left: c.budget}
		d = f.value(d, n)
		c.budget = max(f.left, 0)
		out = &defaultText{}
		switch {
		case f.left < 0:
			out.decline = largeDefault
		case n.Facts().Has(schema.HasEmbedded):
			out.decline = resourceDefault
		default:
			text, ok := jsonscan.Append(nil, d)
			out.json, out.value = string(text), d
			if !ok || hasIntegralFloat(d) || !c.checks.Node(n).Valid(d) {
				out.decline = wrongDefault
			}
		}
	}
	c.fills[n] = out
	return out
}

// A filler fills defaults in with the defaults below them.
type filler struct{ left int }

// value fills v in, or stops halfway if there is nothing left.
func (f *filler) value(v any, n *schema.Node) any {
	if f.left--; f.left < 0 || n == nil {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		f.absent(v, n)
		additional, _ := n.AdditionalProperties()
		for name, e := range v {
			if p := n.Property(name); p != nil {
				v[name] = f.value(e, p)
			} else {
				v[name] = f.element(e, additional)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = f.element(e, n.Items())
		}
	}
	return v
}

// absent sets what v lacks. It is filled in later.
func (f *filler) absent(v map[string]any, n *schema.Node) {
	for name, p := range n.Properties() {
		if e, found := v[name]; found && (e != nil || p.Nullable()) {
			continue
		}
		if d, ok := p.Default(); ok {
			v[name] = d
		}
	}
}

func (f *filler) element(v any, n *schema.Node) any {
	if v == nil && n != nil && !n.Nullable() {
		if d, ok := n.Default(); ok {
			v = d
		}
	}
	return f.value(v, n)
}

// hasIntegralFloat reports whether a float64 in v is written like an integer.
func hasIntegralFloat(v any) bool {
	switch v := v.(type) {
	case float64:
		return isIntegral(v)
	case map[string]any:
		for _, e := range v {
			if hasIntegralFloat(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasIntegralFloat)
	}
	return false
}

// isIntegral reports whether f is written like an integer.
func isIntegral(f float64) bool {
	const largest = 1e21 // that is written without an exponent
	return f == math.Trunc(f) && math.Abs(f) < largest
}
