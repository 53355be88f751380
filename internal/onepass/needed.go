package onepass

import "github.com/crdkit/crdkit/schema"

// needed says what of a value rules can look at: all of it where rules are
// declared, and otherwise what leads to such places. A nil *needed stands for
// values that no rule looks at.
type needed struct {
	whole  bool
	fields map[string]*needed
	values *needed // of fields that are not declared
	items  *needed
}

type neededCompiler struct {
	done map[*schema.Node]*needed
	// update: rules look at an old object besides. What corresponds to a value
	// is then found by keys, and where nothing does, the whole around it is
	// compared.
	update bool
}

func compileNeeded(n *schema.Node, update bool) *needed {
	c := neededCompiler{done: make(map[*schema.Node]*needed), update: update}
	return c.node(n)
}

func (c *neededCompiler) node(n *schema.Node) *needed {
	if n == nil || !n.Facts().Has(schema.HasRules) {
		return nil
	}
	if done, ok := c.done[n]; ok {
		return done
	}
	out := &needed{fields: make(map[string]*needed)}
	c.done[n] = out
	additional, declared := n.AdditionalProperties()
	if len(n.Rules()) > 0 || declared && n.Len() > 0 || c.update && n.Items() != nil {
		out.whole = true
		return out
	}
	for name, p := range n.Properties() {
		if below := c.node(p); below != nil {
			out.fields[name] = below
		}
	}
	out.values, out.items = c.node(additional), c.node(n.Items())
	return out
}
