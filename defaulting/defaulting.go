package defaulting

import (
	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A Defaulter drops nulls from objects of one schema and sets their defaults. It never
// changes and is safe for concurrent use. Make it with [New]: the methods of a nil Defaulter
// panic.
type Defaulter struct {
	nulls    *nullNode // nil if no null is dropped
	defaults *fillNode // nil if no default is set
}

// New returns a Defaulter for objects of schema n. It never returns nil. A nil
// n declares no defaults, so its Defaulter changes nothing.
func New(n *schema.Node) *Defaulter {
	return &Defaulter{nulls: compileNulls(n), defaults: compileDefaults(n)}
}

type recorder = pathstack.Recorder[schema.Path, schema.Step]

// DropNulls removes from obj, in place, the map entries with a null value whose
// schema is not nullable and has no default.
func (d *Defaulter) DropNulls(obj map[string]any) {
	d.dropNulls(obj, nil)
}

// DropNullsAndReport changes obj as [Defaulter.DropNulls] does. It also returns
// the paths of the nulls that it dropped, in increasing order of their strings,
// or nil if it dropped none. The caller owns the paths.
func (d *Defaulter) DropNullsAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	d.dropNulls(obj, &rec)
	schema.SortPaths(rec.Paths())
	return rec.Paths()
}

func (d *Defaulter) dropNulls(obj map[string]any, rec *recorder) {
	if d.nulls != nil {
		d.nulls.dropInObject(obj, rec)
	}
}

// Default sets in obj, in place, the values that are absent and have a default.
// It also replaces a null by the default, unless the schema is nullable. It does
// nothing to a nil obj.
func (d *Defaulter) Default(obj map[string]any) {
	d.setDefaults(obj, nil)
}

// DefaultAndReport changes obj as [Defaulter.Default] does. It also returns the paths of
// the values that it set, in increasing order of their strings, or nil if it set none. It
// does not list values inside of a value that it set. The caller owns the paths.
func (d *Defaulter) DefaultAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	d.setDefaults(obj, &rec)
	schema.SortPaths(rec.Paths())
	return rec.Paths()
}

func (d *Defaulter) setDefaults(obj map[string]any, rec *recorder) {
	if d.defaults != nil {
		d.defaults.fillObject(obj, rec)
	}
}

// A fillNode says which defaults to set in a value. A nil node sets none. Equal schemas
// share a node.
type fillNode struct {
	sets  []field // properties with a default, in increasing order of name
	walks []field // other properties with defaults below, in increasing order of name

	// byName has the nodes of walks. If additionalProperties sets defaults, byName also has
	// a nil node for each property that is not in walks.
	byName map[string]*fillNode
	others rule // for entries that are not properties
	items  rule
}

type field struct {
	name  string
	set   *set      // nil in fillNode.walks
	below *fillNode // for a value that is present
}

// A rule says which defaults to set in items or additional properties.
type rule struct {
	null  *set // the default that replaces a null; nil if nulls stay
	below *fillNode
}

func (r rule) idle() bool { return r.null == nil && r.below == nil }

type set struct {
	value    any
	below    *fillNode // for the value
	nullable bool      // a null is not replaced
}

func (s *set) copy() any {
	v := jsonval.Clone(s.value)
	if s.below != nil {
		s.below.fill(v, schema.Step{}, nil)
	}
	return v
}

func (n *fillNode) idle() bool {
	return len(n.sets) == 0 && len(n.walks) == 0 && n.others.idle() && n.items.idle()
}

// fill sets the defaults in v, the value at step s.
func (n *fillNode) fill(v any, s schema.Step, rec *recorder) {
	switch v := v.(type) {
	case map[string]any:
		rec.Enter(s)
		n.fillObject(v, rec)
		rec.Leave()
	case []any:
		rec.Enter(s)
		n.fillList(v, rec)
		rec.Leave()
	}
}

func (n *fillNode) fillList(list []any, rec *recorder) {
	if n.items.idle() {
		return
	}
	for i, v := range list {
		switch {
		case v == nil && n.items.null != nil:
			list[i] = n.items.null.copy()
			rec.Record(schema.Index(i))
		case n.items.below != nil && jsonval.IsContainer(v):
			n.items.below.fill(v, schema.Index(i), rec)
		}
	}
}

func (n *fillNode) fillObject(m map[string]any, rec *recorder) {
	if m == nil {
		return
	}
	if n.others.idle() && probeIsFaster(len(n.walks), len(m)) {
		n.probe(m, rec)
	} else {
		n.scan(m, rec)
	}
	// Defaults are set last, so that the walk above does not enter them.
	for i := range n.sets {
		n.sets[i].apply(m, rec)
	}
}

func (n *fillNode) probe(m map[string]any, rec *recorder) {
	for i := range n.walks {
		f := &n.walks[i]
		if v, ok := m[f.name]; ok && jsonval.IsContainer(v) {
			f.below.fill(v, schema.Field(f.name), rec)
		}
	}
}

// scan fills the entries of m in one loop, without n.sets.
func (n *fillNode) scan(m map[string]any, rec *recorder) {
	for name, v := range m {
		if v != nil && !jsonval.IsContainer(v) {
			continue
		}
		below, known := n.byName[name]
		if !known {
			if v == nil && n.others.null != nil {
				m[name] = n.others.null.copy()
				rec.Record(schema.Field(name))
				continue
			}
			below = n.others.below
		}
		if below != nil {
			below.fill(v, schema.Field(name), rec)
		}
	}
}

func (f *field) apply(m map[string]any, rec *recorder) {
	v, ok := m[f.name]
	switch {
	case !ok || v == nil && !f.set.nullable:
		m[f.name] = f.set.copy()
		rec.Record(schema.Field(f.name))
	case f.below != nil && jsonval.IsContainer(v):
		f.below.fill(v, schema.Field(f.name), rec)
	}
}

type fillCompiler struct {
	nodes map[*schema.Node]*fillNode
	sets  map[*schema.Node]*set
}

func compileDefaults(n *schema.Node) *fillNode {
	c := fillCompiler{nodes: make(map[*schema.Node]*fillNode), sets: make(map[*schema.Node]*set)}
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
		value, _ := n.Default()
		out = &set{value: value, below: c.compileNode(n), nullable: n.Nullable()}
	}
	c.sets[n] = out
	return out
}

func hasDefault(n *schema.Node) bool {
	_, ok := n.Default()
	return ok
}

// probeIsFaster reports whether it is faster to look up the fields in a map than to range
// over it. To start a range costs about as much as five lookups, and more for a map with
// more than eight entries.
func probeIsFaster(fields, entries int) bool {
	if entries > 8 {
		return fields <= entries
	}
	return fields <= 5
}
