package fastpath

import (
	"math"
	"slices"

	"github.com/crdkit/crdkit/internal/defaultvalue"
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
	if _, ok := n.Default(); ok {
		d, filled := c.filler.Default(n)
		out = &defaultText{}
		switch {
		case !filled:
			out.decline = largeDefault
		case n.Facts().Has(schema.HasEmbedded):
			out.decline = resourceDefault
		default:
			text, ok := jsonscan.Append(nil, d)
			out.json, out.value, out.template = string(text), d, defaultvalue.NewTemplate(d)
			if !ok || hasIntegralFloat(d) || !c.checks.Node(n).Valid(d) {
				out.decline = wrongDefault
			}
		}
	}
	c.fills[n] = out
	return out
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
