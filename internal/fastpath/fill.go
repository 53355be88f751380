package fastpath

import (
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// maxFilled bounds how many values filling adds to the defaults of one schema.
const maxFilled = 1 << 16

// fill returns the filled default of n, nil if there is none.
func (c *compiler) fill(n *schema.Node) *defaultText {
	if done, ok := c.fills[n]; ok {
		return done
	}
	var out *defaultText
	if _, ok := n.Default(); ok {
		d, filled := c.filler.Default(n)
		out = &defaultText{ruled: n.Facts().Has(schema.HasRules)}
		switch {
		case !filled:
			out.declined = true // it is too large
		case n.Facts().Has(schema.HasEmbedded):
			out.declined = true
		default:
			text, ok := jsonscan.Append(nil, d)
			out.json = string(text)
			out.declined = !ok || jsonscan.HasIntegral(d) || !c.checks.Node(n).Valid(d)
		}
	}
	c.fills[n] = out
	return out
}
