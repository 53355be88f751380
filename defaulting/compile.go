package defaulting

import "github.com/crdkit/crdkit/schema"

type fillCompiler struct {
	nodes map[*schema.Node]*fillNode
	sets  map[*schema.Node]*set
	left  int // how many values filling may still add
}

// compileDefaults returns the node for objects of schema n. It fills defaults
// with other defaults as long as these have at most maxFilled values together.
func compileDefaults(n *schema.Node, maxFilled int) *fillNode {
	c := fillCompiler{
		nodes: make(map[*schema.Node]*fillNode),
		sets:  make(map[*schema.Node]*set),
		left:  maxFilled,
	}
	return c.compileNode(n)
}

// compileNode returns the node for values of n, nil if it sets nothing.
func (c *fillCompiler) compileNode(n *schema.Node) *fillNode {
	if n == nil || !n.Facts().Has(schema.HasDefaults) {
		return nil
	}
	done, ok := c.nodes[n]
	if !ok {
		done = c.compile(n)
		if done.idle() {
			done = nil
		}
		c.nodes[n] = done
	}
	return done
}

func (c *fillCompiler) compile(n *schema.Node) *fillNode {
	additional, _ := n.AdditionalProperties()
	out := &fillNode{
		byName: make(map[string]*fillNode),
		others: c.compileRule(additional),
		items:  c.compileRule(n.Items()),
	}
	for name, p := range n.Properties() {
		below := c.compileNode(p)
		if s := c.compileDefault(p); s != nil {
			out.sets = append(out.sets, field{name: name, set: s, below: below})
			below = nil
		} else if below != nil {
			out.walks = append(out.walks, field{name: name, below: below})
		}
		if below != nil || !out.others.idle() {
			out.byName[name] = below
		}
	}
	return out
}

// compileRule returns the rule for items or additional properties of schema n.
func (c *fillCompiler) compileRule(n *schema.Node) rule {
	r := rule{below: c.compileNode(n)}
	if n != nil && !n.Nullable() {
		r.null = c.compileDefault(n)
	}
	return r
}

// compileDefault returns the default of n, nil if there is none.
func (c *fillCompiler) compileDefault(n *schema.Node) *set {
	if done, ok := c.sets[n]; ok {
		return done
	}
	var out *set
	if d, ok := n.Default(); ok {
		out = c.fillDefault(d, n)
		out.nullable = n.Nullable()
	}
	c.sets[n] = out
	return out
}

// fillDefault returns the default d of n, filled with the defaults below it. If
// these have more values than c.left, the set fills each copy lazily.
func (c *fillCompiler) fillDefault(d any, n *schema.Node) *set {
	below := c.compileNode(n)
	declared := countValues(d)
	m := meter{compiler: c, left: c.left + declared}
	m.countValue(d, n)
	if m.left < 0 {
		return &set{value: templateOf(d), fillLazily: below, size: tooLarge}
	}
	size := c.left + declared - m.left
	c.left = m.left
	if below != nil {
		below.fill(d, schema.Step{}, nil)
	}
	return &set{value: templateOf(d), size: size}
}
