package leafcheck

import (
	"github.com/crdkit/crdkit/internal/value/format"
	"github.com/crdkit/crdkit/internal/value/pattern"
	"github.com/crdkit/crdkit/schema"
)

// Config configures a [Compiler].
type Config struct {
	// Minor is the minor version of the Kubernetes server whose formats are
	// checked.
	Minor int
	// EveryFormat checks all formats, on values of any type, and takes int-or-string
	// for any type. The server validates defaults like that.
	EveryFormat bool
}

// A Compiler compiles each schema node once.
type Compiler struct {
	cfg      Config
	nodes    map[*schema.Node]*Node
	branches map[*schema.Branch]*Node
	patterns map[string]*Text // only the pattern is set
}

// NewCompiler returns a compiler without compiled nodes.
func NewCompiler(cfg Config) *Compiler {
	return &Compiler{
		cfg:      cfg,
		nodes:    make(map[*schema.Node]*Node),
		branches: make(map[*schema.Branch]*Node),
		patterns: make(map[string]*Text),
	}
}

// New compiles n and everything below it. It returns nil if n is nil.
func New(n *schema.Node, cfg Config) *Node { return NewCompiler(cfg).Node(n) }

// Node compiles n and everything below it, or returns the node from an earlier
// call. It returns nil if n is nil.
func (c *Compiler) Node(n *schema.Node) *Node {
	if n == nil {
		return nil
	}
	if out, ok := c.nodes[n]; ok {
		return out
	}
	limits := n.Limits()
	out := c.leaf(c.cfg.typesOf(n), n.Nullable(), &limits)
	out.HasLists = n.Facts().Has(schema.HasListTypes)
	out.List = c.list(n, &limits)
	f := &Fields{Size: Size{limits.MinProperties, limits.MaxProperties}, Required: limits.Required}
	for name, p := range n.Properties() {
		f.Props = append(f.Props, Prop{Name: name, Node: c.Node(p)})
	}
	additional, declared := n.AdditionalProperties()
	f.Additional = c.Node(additional)
	f.Closed = declared && !n.AllowsAdditionalProperties()
	out.structure(f, c.Node(n.Items()), c.junctors(n))
	c.nodes[n] = out
	return out
}

// Branch compiles b and everything below it, or returns the node from an
// earlier call. It returns nil if b is nil.
func (c *Compiler) Branch(b *schema.Branch) *Node {
	if b == nil {
		return nil
	}
	if out, ok := c.branches[b]; ok {
		return out
	}
	limits := b.Limits()
	out := c.leaf(c.cfg.typesOf(b), b.Nullable(), &limits)
	out.List = c.lengths(&limits)
	f := &Fields{Size: Size{limits.MinProperties, limits.MaxProperties}, Required: limits.Required}
	for name, p := range b.Properties() {
		f.Props = append(f.Props, Prop{Name: name, Node: c.Branch(p)})
	}
	additional, declared := b.AdditionalProperties()
	f.Additional = c.Branch(additional)
	f.Closed = declared && !b.AllowsAdditionalProperties()
	out.structure(f, c.Branch(b.Items()), c.junctors(b))
	c.branches[b] = out
	return out
}

// A typed is a schema.Node or a schema.Branch.
type typed interface {
	Type() string
	IntOrString() bool
}

func (c *Config) typesOf(n typed) []string {
	switch {
	case n.IntOrString() && !c.EveryFormat:
		return []string{"integer", "string"}
	case n.Type() != "":
		return []string{n.Type()}
	}
	return nil
}

// structure sets the children of n.
func (n *Node) structure(f *Fields, items *Node, nested *Junctors) {
	n.Fields, n.Items, n.items, n.Nested = f, items, items.orNilIfAdmitsAll(), nested
	if f.finish(); !f.admitsAll() {
		n.fields = f
	}
}

// leaf returns a node without children.
func (c *Compiler) leaf(types []string, nullable bool, l *schema.Limits) *Node {
	typ := &Type{Names: types, Nullable: nullable, Format: c.cfg.format(l.Format, types)}
	n := &Node{Type: typ, Accept: typ.Mask(), Text: c.text(typ, l)}
	if num := NewNumber(typ, l); num.kinds() != 0 {
		n.Number, n.limited = num, num.kinds()
	}
	if len(l.Enum) > 0 {
		n.Enum = newEnum(l.Enum)
	}
	return n
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

// lengths returns the checks of lists in l, nil if there are none.
func (c *Compiler) lengths(l *schema.Limits) *List {
	if !l.MinItems.Set && !l.MaxItems.Set && !l.UniqueItems {
		return nil
	}
	return &List{Size: Size{l.MinItems, l.MaxItems}, Unique: l.UniqueItems}
}

func (c *Compiler) list(n *schema.Node, l *schema.Limits) *List {
	list := c.lengths(l)
	kind := AnyList
	switch t, _ := n.ListType(); t {
	case "set":
		kind = SetList
	case "map":
		kind = MapList
	default:
		return list
	}
	if list == nil {
		list = &List{}
	}
	list.Kind, list.Keys = kind, n.ListMapKeys()
	return list
}

// A nester is a schema.Node or a schema.Branch.
type nester interface {
	AllOf() []*schema.Branch
	AnyOf() []*schema.Branch
	OneOf() []*schema.Branch
	Not() *schema.Branch
}

func (c *Compiler) junctors(n nester) *Junctors {
	j := &Junctors{AllOf: c.branchNodes(n.AllOf()), AnyOf: c.branchNodes(n.AnyOf()), OneOf: c.branchNodes(n.OneOf()), Not: c.Branch(n.Not())}
	if j.AllOf == nil && j.AnyOf == nil && j.OneOf == nil && j.Not == nil {
		return nil
	}
	return j
}

func (c *Compiler) branchNodes(list []*schema.Branch) []*Node {
	var out []*Node
	for _, b := range list {
		out = append(out, c.Branch(b))
	}
	return out
}

// format returns name if the server checks it as the format of values of these
// types, else "". A server uses the formats of the version before its own, so
// that it can be rolled back.
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
