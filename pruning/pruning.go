package pruning

import (
	"slices"

	"github.com/crdkit/crdkit/schema"
)

// A Pruner removes undeclared fields from objects of one schema. It never
// changes and is safe for concurrent use.
type Pruner struct {
	root      *node      // nil leaves objects alone
	reference *reference // walks instead of root, nil unless asked for
	// omitRootMeta: apiVersion, kind and metadata of the object itself are
	// removed without being reported.
	omitRootMeta bool
}

// New returns a Pruner for objects of schema n. A nil n declares nothing, so
// that everything is removed but what every resource has.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning.
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
// declare. A nil obj stays nil.
func (p *Pruner) Prune(obj map[string]any) {
	switch {
	case p.reference != nil:
		p.reference.prune(obj, nil)
	case p.root != nil:
		p.root.prune(obj)
	}
}

// PruneAndReport is like [Pruner.Prune] but also returns the paths of the fields that
// it removed, in increasing order of their strings, nil if there are none.
func (p *Pruner) PruneAndReport(obj map[string]any) []schema.Path {
	var w reportWalker
	switch {
	case p.reference != nil:
		p.reference.prune(obj, &w.Trail)
	case p.root != nil:
		w.object(p.root, obj)
	}
	removed := w.Marks()
	if p.omitRootMeta {
		removed = slices.DeleteFunc(removed, isRootMeta)
	}
	if len(removed) == 0 {
		return nil
	}
	return removed
}

// isRootMeta reports whether path names a field that every resource has, of
// the object itself.
func isRootMeta(path schema.Path) bool {
	name, _ := path[0].Name()
	return len(path) == 1 && isMeta(name)
}

// isMeta reports whether name is a field that every resource has.
func isMeta(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}
