package pruning

import (
	"slices"

	"github.com/crdkit/crdkit/internal/path/pathstack"
	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A Pruner removes undeclared fields from objects of one schema. It never changes and is safe
// for concurrent use. Make it with [New]: the methods of a nil Pruner panic.
type Pruner struct {
	root         *node // nil if pruning changes nothing
	omitRootMeta bool  // reports omit apiVersion, kind and metadata of the object itself
}

// An Option changes what a [Pruner] does. A nil Option changes nothing.
type Option interface{ apply(*options) }

type options struct{ fragment bool }

type optionFunc func(*options)

func (f optionFunc) apply(o *options) { f(o) }

// Fragment makes the Pruner treat objects as parts of a resource, such as
// default values. Their apiVersion, kind and metadata are fields like any
// other, unless the schema has x-kubernetes-embedded-resource.
func Fragment() Option {
	return optionFunc(func(o *options) { o.fragment = true })
}

// New returns a Pruner for objects of schema n. It never returns nil. A nil n
// declares no fields, so its Pruner keeps only apiVersion, kind and metadata.
func New(n *schema.Node, opts ...Option) *Pruner {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&o)
		}
	}
	return &Pruner{root: compile(n, !o.fragment), omitRootMeta: o.fragment && n != nil}
}

// Prune removes from obj, in place, the fields that the schema does not
// declare. It does nothing to a nil obj.
func (p *Pruner) Prune(obj map[string]any) {
	if p.root != nil {
		p.root.object(obj, nil)
	}
}

// PruneAndReport changes obj as [Pruner.Prune] does. It also returns the paths
// of the fields that it removed, in increasing order of their strings, or nil
// if it removed none. The caller owns the paths.
func (p *Pruner) PruneAndReport(obj map[string]any) []schema.Path {
	var rec recorder
	if p.root != nil {
		p.root.object(obj, &rec)
	}
	removed := rec.Paths()
	schema.SortPaths(removed)
	if p.omitRootMeta {
		removed = slices.DeleteFunc(removed, isRootMeta)
	}
	if len(removed) == 0 {
		return nil
	}
	return removed
}

func isRootMeta(path schema.Path) bool {
	name, _ := path[0].Name()
	return len(path) == 1 && isMeta(name)
}

func isMeta(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

type recorder = pathstack.Recorder[schema.Path, schema.Step]

func (n *node) value(v any, s schema.Step, rec *recorder) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 0 {
			rec.Enter(s)
			n.object(v, rec)
			rec.Leave()
		}
	case []any:
		if n.items == nil {
			return
		}
		rec.Enter(s)
		for i, e := range v {
			if jsonval.IsContainer(e) {
				n.items.value(e, schema.Index(i), rec)
			}
		}
		rec.Leave()
	}
}

// object prunes a map. It looks up each field if that is faster than a range over
// the map. It then ranges only if undeclared entries may remain.
func (n *node) object(m map[string]any, rec *recorder) {
	probed := n.probeIsFaster(len(m))
	if probed && (n.probe(m, rec) == 0 || n.others == keepOthers) {
		return
	}
	for name, v := range m {
		switch i := n.index.Find(name); {
		case i >= 0 && (probed || n.fields[i].node == nil):
		case i >= 0:
			n.fields[i].node.value(v, schema.Field(name), rec)
		case n.others == dropOthers:
			rec.Record(schema.Field(name))
			delete(m, name)
		case n.others == walkOthers:
			n.rest.value(v, schema.Field(name), rec)
		}
	}
}

// probe looks up the fields of n in m and prunes them. It returns the number of entries of
// m that it did not find.
func (n *node) probe(m map[string]any, rec *recorder) int {
	left := len(m)
	for i := range n.fields {
		f := &n.fields[i]
		v, ok := m[f.name]
		if !ok {
			continue
		}
		if f.node != nil && jsonval.IsContainer(v) {
			f.node.value(v, schema.Field(f.name), rec)
		}
		if left--; left == 0 {
			break
		}
	}
	return left
}
