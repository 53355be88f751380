package onepass

import (
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

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

// RuleInput returns what the rules of the schema can look at of an object,
// which [Plan.Bytes] has made or which is replaced. What is not needed is
// absent, except from lists. It reports false if the object cannot be read.
func (p *Plan) RuleInput(text string, update bool) (map[string]any, bool) {
	needed := p.needed
	if update {
		needed = p.neededForUpdate
	}
	v, end := needed.value(text, jsonscan.Space(text, 0))
	m, ok := v.(map[string]any)
	return m, ok && end >= 0 && jsonscan.Space(text, end) == len(text)
}

// value returns what is needed of the value at s[i], and the index after it,
// negative if it cannot be read.
func (n *needed) value(s string, i int) (any, int) {
	switch {
	case n == nil:
		return map[string]any{}, jsonscan.Skip(s, i)
	case n.whole || i >= len(s):
		return jsonscan.Value(s, i)
	case s[i] == '{':
		return n.object(s, i+1)
	case s[i] == '[' && n.items != nil:
		return n.list(s, i+1)
	}
	return jsonscan.Value(s, i)
}

func (n *needed) object(s string, i int) (any, int) {
	out := make(map[string]any)
	i = jsonscan.Space(s, i)
	if i < len(s) && s[i] == '}' {
		return out, i + 1
	}
	for more := true; more; {
		key, _, at := jsonscan.Key(s, i)
		if at < 0 {
			return nil, at
		}
		below := n.fields[key]
		if below == nil {
			below = n.values
		}
		end := 0
		if below == nil {
			end = jsonscan.Skip(s, at)
		} else {
			out[key], end = below.value(s, at)
		}
		if end < 0 {
			return nil, end
		}
		i, more = jsonscan.Next(s, end, '}')
	}
	return out, i
}

func (n *needed) list(s string, i int) (any, int) {
	out := []any{}
	i = jsonscan.Space(s, i)
	if i < len(s) && s[i] == ']' {
		return out, i + 1
	}
	for more := true; more; {
		v, end := n.items.value(s, i)
		if end < 0 {
			return nil, end
		}
		out = append(out, v)
		i, more = jsonscan.Next(s, end, ']')
	}
	return out, i
}
