package pruning

import (
	"slices"

	"github.com/crdkit/crdkit/schema"
)

// A Pruner removes undeclared fields from objects of one schema. It never
// changes and is safe for concurrent use. Only [New] makes one: the methods of
// a nil Pruner panic.
type Pruner struct {
	root      *node      // nil if pruning changes nothing
	reference *reference // used instead of root if it is not nil
	// omitRootMeta: reports omit apiVersion, kind and metadata of the object
	// itself, even if they are removed.
	omitRootMeta bool
}

// New returns a Pruner for objects of schema n. It never returns nil. A nil n
// declares no fields, so its Pruner keeps only apiVersion, kind and metadata.
//
// See
// https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning.
func New(n *schema.Node, opts ...Option) *Pruner {
	o := optionsOf(opts)
	p := &Pruner{omitRootMeta: o.fragment && n != nil}
	if o.reference {
		p.reference = &reference{node: n, resource: !o.fragment}
	} else {
		p.root = compile(n, !o.fragment)
	}
	return p
}

// Prune removes from obj, in place, the fields that the schema does not
// declare. It does nothing to a nil obj.
func (p *Pruner) Prune(obj map[string]any) {
	switch {
	case p.reference != nil:
		p.reference.prune(obj, nil)
	case p.root != nil:
		p.root.prune(obj)
	}
}

// PruneAndReport changes obj as [Pruner.Prune] does. It also returns the paths
// of the fields that it removed, in increasing order of their strings, or nil
// if it removed none. The caller owns the paths.
func (p *Pruner) PruneAndReport(obj map[string]any) []schema.Path {
	var w reportWalker
	p.walk(obj, &w)
	removed := w.Paths()
	schema.SortPaths(removed)
	if p.omitRootMeta {
		removed = slices.DeleteFunc(removed, isRootMeta)
	}
	if len(removed) == 0 {
		return nil
	}
	return removed
}

func (p *Pruner) walk(obj map[string]any, w *reportWalker) {
	switch {
	case p.reference != nil:
		p.reference.prune(obj, &w.recorder)
	case p.root != nil:
		w.object(p.root, obj)
	}
}

// isRootMeta reports whether path is apiVersion, kind or metadata of the object
// itself.
func isRootMeta(path schema.Path) bool {
	name, _ := path[0].Name()
	return len(path) == 1 && isMeta(name)
}

// isMeta reports whether every resource has a field of this name.
func isMeta(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}
