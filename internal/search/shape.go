package search

import (
	"slices"

	"github.com/crdkit/crdkit/schema"
)

// constraints are what a schema asks of a value, with its allOf branches and one branch of
// anyOf and oneOf merged. The merge is approximate: a value may be invalid.
type constraints struct {
	schema.Limits
	node      *schema.Node // nil for a branch
	typ       string
	keeps     bool            // unknown fields
	demands   []demand        // the branches that were merged in
	forbidden map[string]bool // properties that a negation excludes
}

// A demand is a branch that constrains a value beside its schema.
type demand struct {
	branch *schema.Node
	inner  []demand
}

// below returns the demands on a part of the value. child returns the part of a branch.
func below(list []demand, child func(*schema.Node) *schema.Node) (out []demand) {
	for _, d := range list {
		if b := child(d.branch); b != nil {
			out = append(out, demand{b, below(d.inner, child)})
		}
	}
	return out
}

func (g *generator) constraintsOf(n *schema.Node, demands []demand) *constraints {
	c := g.merged(n, demands)
	c.node, c.keeps = n, n.PreserveUnknownFields()
	return c
}

// merged returns the constraints of a node or branch.
func (g *generator) merged(n *schema.Node, demands []demand) *constraints {
	anyOf, oneOf := branchesOf(n, "anyOf"), branchesOf(n, "oneOf")
	g.work += 1 + len(oneOf) + len(anyOf)
	c := &constraints{Limits: n.Limits(), typ: n.Type()}
	for _, b := range branchesOf(n, "allOf") {
		c.merge(b, g.merged(b, nil))
	}
	for _, d := range demands {
		c.merge(d.branch, g.merged(d.branch, d.inner))
	}
	if len(anyOf) > 0 {
		b := anyOf[g.rng.IntN(len(anyOf))]
		c.merge(b, g.merged(b, nil))
	}
	if len(oneOf) > 0 {
		chosen := g.rng.IntN(len(oneOf))
		for i, b := range oneOf {
			if i != chosen {
				c.forbid(b)
			}
		}
		merged := g.merged(oneOf[chosen], nil)
		for _, name := range merged.Required {
			delete(c.forbidden, name)
		}
		c.merge(oneOf[chosen], merged)
	}
	for _, b := range branchesOf(n, "not") {
		c.forbid(b)
	}
	return c
}

// forbid makes a branch fail by forbidding the properties that it requires. It
// does not handle branches that require none.
func (c *constraints) forbid(branch *schema.Node) {
	if c.forbidden == nil {
		c.forbidden = map[string]bool{}
	}
	for _, name := range branch.Limits().Required {
		c.forbidden[name] = true
	}
	for _, b := range branchesOf(branch, "anyOf") {
		c.forbid(b)
	}
}

// merge adds the constraints of a branch.
func (c *constraints) merge(branch *schema.Node, b *constraints) {
	c.demands = append(c.demands, demand{branch, b.demands})
	c.Required = slices.Concat(c.Required, b.Required)
	if len(b.Enum) > 0 {
		c.Enum = b.Enum
	}
	if b.Pattern != "" {
		c.Pattern = b.Pattern
	}
	if b.Format != "" {
		c.Format = b.Format
	}
	if c.typ == "" {
		c.typ = b.typ
	}
	for _, pair := range [][2]*schema.Count{{&c.MinLength, &b.MinLength}, {&c.MinItems, &b.MinItems}, {&c.MinProperties, &b.MinProperties}} {
		if own, other := pair[0], *pair[1]; !own.Set || other.Set && other.N > own.N {
			*own = other
		}
	}
	for _, pair := range [][2]*schema.Count{{&c.MaxLength, &b.MaxLength}, {&c.MaxItems, &b.MaxItems}, {&c.MaxProperties, &b.MaxProperties}} {
		if own, other := pair[0], *pair[1]; !own.Set || other.Set && other.N < own.N {
			*own = other
		}
	}
	if !c.Minimum.Set || b.Minimum.Set && b.Minimum.Value > c.Minimum.Value {
		c.Minimum = b.Minimum
	}
	if !c.Maximum.Set || b.Maximum.Set && b.Maximum.Value < c.Maximum.Value {
		c.Maximum = b.Maximum
	}
	if b.MultipleOf.Set {
		c.MultipleOf = b.MultipleOf
	}
}
