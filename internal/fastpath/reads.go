package fastpath

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/fieldaccess"
	"github.com/crdkit/crdkit/internal/names/nameindex"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/schema"
)

// A readTree says which parts of a value rules read, or lead to rules. Nil reads nothing.
type readTree struct {
	whole  bool
	kind   bool // no more than the kind of the value
	fields []readField
	names  nameindex.Index // of fields
	values *readTree       // of fields that are not declared
	items  *readTree
}

type readField struct {
	name string
	tree *readTree
	text string // `"name":` in canonical form
}

var (
	onlyKind   = &readTree{kind: true}
	onlyValue  = &readTree{}
	everything = &readTree{whole: true}
)

// setFields sets the fields.
func (n *readTree) setFields(fields map[string]*readTree) {
	names := slices.Sorted(maps.Keys(fields))
	n.names, n.fields = nameindex.New(names), nil
	for _, name := range names {
		text, _ := jsonscan.AppendString(nil, name)
		n.fields = append(n.fields, readField{name, fields[name], string(text) + ":"})
	}
}

// child returns the readTree of a member.
func (n *readTree) child(name string) *readTree {
	if n.whole {
		return n
	}
	if i := n.names.Find(name); i >= 0 {
		return n.fields[i].tree
	}
	return n.values
}

// near returns the field that is likely to come next if it is at s[i:], and the index of
// its value, else 0. Fields and members have the same order.
func (n *readTree) near(s string, i int, next *int) (string, *readTree, int) {
	for k := *next; k < len(n.fields) && k < *next+2; k++ {
		f := &n.fields[k]
		if at := i + len(f.text); at < len(s) && s[at] > ' ' && s[i:at] == f.text {
			*next = k + 1
			return f.name, f.tree, at
		}
	}
	return "", nil, 0
}

// presence returns the readTree for rules that test presence. Texts with a format are
// converted.
func presence(n *schema.Node) *readTree {
	if n.Limits().Format != "" {
		return onlyValue
	}
	return onlyKind
}

type readCompiler struct {
	done map[*schema.Node]*readTree // of values that no rule above reads
	sets func(*schema.Node) *fieldaccess.ReadSet
}

// compileReads returns the readTree for objects of n. With nil sets, rules read everything.
func compileReads(n *schema.Node, sets func(*schema.Node) *fieldaccess.ReadSet) *readTree {
	if sets == nil {
		sets = fieldaccess.AllOf
	}
	c := readCompiler{done: make(map[*schema.Node]*readTree), sets: sets}
	return c.compileNode(n, nil)
}

// compileNode returns the readTree for values of n below rules with the read sets above.
func (c *readCompiler) compileNode(n *schema.Node, above []*fieldaccess.ReadSet) *readTree {
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

func (c *readCompiler) compile(n *schema.Node, reads []*fieldaccess.ReadSet) *readTree {
	if len(n.Rules()) > 0 {
		if own := c.sets(n); own != nil {
			reads = append(slices.Clip(reads), own)
		}
	}
	access := fieldaccess.Unread
	for _, r := range reads {
		access = max(access, r.Access())
	}
	additional, declared := n.AdditionalProperties()
	if access == fieldaccess.Everything || declared && n.Len() > 0 {
		return everything
	}
	out, fields := &readTree{}, make(map[string]*readTree)
	for name, p := range n.Properties() {
		if field := c.compileNode(p, below(reads, func(r *fieldaccess.ReadSet) *fieldaccess.ReadSet { return r.Field(name) })); field != nil {
			fields[name] = field
		}
	}
	out.setFields(fields)
	elements := below(reads, (*fieldaccess.ReadSet).Elements)
	out.values, out.items = c.compileNode(additional, elements), c.compileNode(n.Items(), elements)
	if len(out.fields) == 0 && out.values == nil && out.items == nil && access <= fieldaccess.Presence {
		return presence(n)
	}
	// Rules may count elements and entries.
	if additional != nil && out.values == nil {
		out.values = presence(additional)
	}
	if n.Items() != nil && out.items == nil {
		out.items = presence(n.Items())
	}
	return out
}

// below returns the read sets of a part of a value.
func below(reads []*fieldaccess.ReadSet, part func(*fieldaccess.ReadSet) *fieldaccess.ReadSet) []*fieldaccess.ReadSet {
	var out []*fieldaccess.ReadSet
	for _, r := range reads {
		if p := part(r); p != nil {
			out = append(out, p)
		}
	}
	return out
}
