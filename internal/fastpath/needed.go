package fastpath

import (
	"slices"

	"github.com/crdkit/crdkit/schema"
)

// A Reach says how much of a value rules look at, in the way of package cel,
// whose reaches these are.
type Reach uint8

const (
	Unread Reach = iota
	Presence
	Contents
	Everything
)

// Reads are what rules look at of a value, as readings of package cel are.
type Reads struct {
	Reach    Reach
	Fields   map[string]*Reads
	Elements *Reads
}

// needed says what of a value rules can look at: what they read of it, and what
// leads to places where they are declared. A nil *needed stands for values that
// no rule looks at.
type needed struct {
	whole  bool
	kind   bool // no more than of what kind the value is
	fields map[string]*needed
	values *needed // of fields that are not declared
	items  *needed
}

var (
	onlyKind  = &needed{kind: true}
	onlyValue = &needed{}
)

// presence returns what it takes to tell that a value is there. Rules may turn
// text in a format into a value of its own before they ask.
func presence(n *schema.Node) *needed {
	if n.Limits().Format != "" {
		return onlyValue
	}
	return onlyKind
}

type neededCompiler struct {
	done map[*schema.Node]*needed // of places that no rule above reads
	read func(*schema.Node) *Reads
	// update: rules look at an old object besides. What corresponds to a value
	// is then found by keys, and where nothing does, the whole around it is
	// compared.
	update bool
}

// compileNeeded returns what is needed of objects of n. With a nil read, rules
// need all of the values that they are on.
func compileNeeded(n *schema.Node, update bool, read func(*schema.Node) *Reads) *needed {
	if read == nil {
		read = func(*schema.Node) *Reads { return &Reads{Reach: Everything} }
	}
	c := neededCompiler{done: make(map[*schema.Node]*needed), read: read, update: update}
	return c.node(n, nil)
}

// node returns what is needed of values of n, of which rules above read this.
func (c *neededCompiler) node(n *schema.Node, above []*Reads) *needed {
	if n == nil || len(above) == 0 && !n.Facts().Has(schema.HasRules) {
		return nil
	}
	if len(above) > 0 {
		return c.compile(n, above)
	}
	done, ok := c.done[n]
	if !ok {
		done = c.compile(n, nil)
		c.done[n] = done
	}
	return done
}

func (c *neededCompiler) compile(n *schema.Node, reads []*Reads) *needed {
	if len(n.Rules()) > 0 {
		if own := c.read(n); own != nil {
			reads = append(slices.Clip(reads), own)
		}
	}
	reach := Unread
	for _, r := range reads {
		reach = max(reach, r.Reach)
	}
	additional, declared := n.AdditionalProperties()
	if reach == Everything || declared && n.Len() > 0 || c.update && n.Items() != nil {
		return &needed{whole: true}
	}
	out := &needed{fields: make(map[string]*needed)}
	for name, p := range n.Properties() {
		if field := c.node(p, below(reads, func(r *Reads) *Reads { return r.Fields[name] })); field != nil {
			out.fields[name] = field
		}
	}
	elements := below(reads, func(r *Reads) *Reads { return r.Elements })
	out.values, out.items = c.node(additional, elements), c.node(n.Items(), elements)
	if len(out.fields) == 0 && out.values == nil && out.items == nil && reach <= Presence {
		return presence(n)
	}
	// Elements and entries are counted.
	if additional != nil && out.values == nil {
		out.values = presence(additional)
	}
	if n.Items() != nil && out.items == nil {
		out.items = presence(n.Items())
	}
	return out
}

// below returns what rules read of a part of a value.
func below(reads []*Reads, part func(*Reads) *Reads) []*Reads {
	var out []*Reads
	for _, r := range reads {
		if p := part(r); p != nil {
			out = append(out, p)
		}
	}
	return out
}
