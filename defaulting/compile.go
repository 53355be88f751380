package defaulting

import (
	"github.com/crdkit/crdkit/internal/defaultvalue"
	"github.com/crdkit/crdkit/schema"
)

// maxFilled bounds how many values filling adds to the defaults of one schema.
// As many values, all in lists, take 20 MB.
const maxFilled = 1 << 18

type fillCompiler struct {
	nodes  map[*schema.Node]*fillNode
	sets   map[*schema.Node]*set
	filler *defaultvalue.Filler
}

// compileDefaults returns the node for objects of schema n. It fills defaults
// with other defaults as long as these have at most maxFilled values together.
func compileDefaults(n *schema.Node, maxFilled int) *fillNode {
	c := fillCompiler{
		nodes:  make(map[*schema.Node]*fillNode),
		sets:   make(map[*schema.Node]*set),
		filler: defaultvalue.NewFiller(maxFilled),
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
	if hasDefault(n) {
		below := c.compileNode(n)
		value, filled := c.filler.Default(n)
		out = &set{value: defaultvalue.NewTemplate(value), nullable: n.Nullable()}
		if !filled {
			out.fillLazily = below
		}
	}
	c.sets[n] = out
	return out
}
