package leafcheck

import (
	"github.com/crdkit/crdkit/internal/value/format"
	"github.com/crdkit/crdkit/internal/value/pattern"
	"github.com/crdkit/crdkit/schema"
)

type Config struct {
	// Minor is the minor version of the server whose formats are checked.
	Minor int
	// EveryFormat checks all formats on values of any type, and lets x-kubernetes-int-or-string
	// allow any type. The server checks defaults in this way.
	EveryFormat bool
}

// A Compiler compiles each schema node once.
type Compiler struct {
	// ListsOverlap is true if a schema has properties, and list types in additionalProperties.
	// Distinct applies these to all properties, Valid only to undeclared ones.
	ListsOverlap bool

	cfg      Config
	nodes    map[*schema.Node]*Node // also of branches
	patterns map[string]*Text       // by expression; only the pattern is set
}

func NewCompiler(cfg Config) *Compiler {
	return &Compiler{cfg: cfg, nodes: make(map[*schema.Node]*Node), patterns: make(map[string]*Text)}
}

// New compiles n and all schemas below it. It returns nil if n is nil.
func New(n *schema.Node, cfg Config) *Node { return NewCompiler(cfg).Node(n) }

// Node compiles n and all schemas below it, or returns the node of an earlier call. It returns nil
// if n is nil.
func (c *Compiler) Node(n *schema.Node) *Node {
	if n == nil {
		return nil
	}
	if out, ok := c.nodes[n]; ok {
		return out
	}
	limits, types := n.Limits(), c.cfg.typesOf(n)
	typ := &Type{Names: types, Nullable: n.Nullable(), Format: c.cfg.format(limits.Format, types)}
	out := &Node{
		Type: typ, Accept: typ.Mask(), Text: c.text(typ, &limits), List: listOf(n, &limits),
		Items: c.Node(n.Items()), Nested: c.junctors(n), HasLists: n.Facts().Has(schema.HasListTypes),
	}
	out.items = out.Items.orNilIfAdmitsAll()
	if num := NewNumber(typ, &limits); num.kinds() != 0 {
		out.Number, out.limited = num, num.kinds()
	}
	if len(limits.Enum) > 0 {
		out.Enum = newEnum(limits.Enum)
	}
	out.Fields = c.fields(n, &limits)
	if !out.Fields.admitsAll() {
		out.fields = out.Fields
	}
	c.nodes[n] = out
	return out
}

func (c *Compiler) fields(n *schema.Node, l *schema.Limits) *Fields {
	f := &Fields{Size: Size{l.MinProperties, l.MaxProperties}, Required: l.Required}
	for name, p := range n.Properties() {
		f.Props = append(f.Props, Prop{Name: name, Node: c.Node(p)})
	}
	additional, declared := n.AdditionalProperties()
	f.Additional = c.Node(additional)
	f.Closed = declared && !n.AllowsAdditionalProperties()
	f.finish()
	c.ListsOverlap = c.ListsOverlap || f.Additional != nil && f.Additional.HasLists && len(f.Props) > 0
	return f
}

func (c *Config) typesOf(n *schema.Node) []string {
	switch {
	case n.IntOrString() && !c.EveryFormat:
		return []string{"integer", "string"}
	case n.Type() != "":
		return []string{n.Type()}
	}
	return nil
}

func (c *Compiler) text(typ *Type, l *schema.Limits) *Text {
	t := &Text{Min: l.MinLength, Max: l.MaxLength}
	if l.Pattern != "" {
		p := c.pattern(l.Pattern)
		t.Expr, t.Pattern, t.BadExpr = p.Expr, p.Pattern, p.BadExpr
	}
	if typ.Format != "" {
		t.Format = typ.Format
		t.HasFormat, _ = format.Registered(typ.Format) // formats of numbers are not registered
	}
	if !t.Min.Set && !t.Max.Set && t.Expr == "" && t.HasFormat == nil {
		return nil
	}
	return t
}

func (c *Compiler) pattern(expr string) *Text {
	if t, ok := c.patterns[expr]; ok {
		return t
	}
	t := &Text{Expr: expr}
	p, err := pattern.Compile(expr)
	if err != nil {
		t.BadExpr = err.Error()
	} else {
		t.Pattern = p
	}
	c.patterns[expr] = t
	return t
}

func listOf(n *schema.Node, l *schema.Limits) *List {
	list := &List{Size: Size{l.MinItems, l.MaxItems}, Unique: l.UniqueItems}
	switch t, _ := n.ListType(); t {
	case "set":
		list.Kind = SetList
	case "map":
		list.Kind, list.Keys = MapList, n.ListMapKeys()
	default:
		if !l.MinItems.Set && !l.MaxItems.Set && !l.UniqueItems {
			return nil
		}
	}
	return list
}

func (c *Compiler) junctors(n *schema.Node) *Junctors {
	j := &Junctors{
		AllOf: c.branches(n.AllOf()), AnyOf: c.branches(n.AnyOf()), OneOf: c.branches(n.OneOf()),
		Not: c.Node((*schema.Node)(n.Not())),
	}
	if j.AllOf == nil && j.AnyOf == nil && j.OneOf == nil && j.Not == nil {
		return nil
	}
	return j
}

func (c *Compiler) branches(list []*schema.Branch) []*Node {
	var out []*Node
	for _, b := range list {
		out = append(out, c.Node((*schema.Node)(b)))
	}
	return out
}

// format returns name if the server checks this format for these types, else "". A server uses the
// formats of the previous version, so that it can be rolled back.
func (c *Config) format(name string, types []string) string {
	if c.EveryFormat {
		return name
	}
	typ := ""
	if len(types) == 1 {
		typ = types[0]
	}
	if !format.Supported(typ, name, c.Minor-1) {
		return ""
	}
	return name
}
