package crdversion

import (
	"sync"

	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
)

// PruneDefaults returns the tree of a schema with the defaults that
// kube-apiserver applies when it serves the definition. If pruning changes no
// default it returns node itself.
//
// The server checks defaults when it accepts a definition, but not everywhere:
// below additionalProperties they may have fields that the schema does not
// declare, and metadata of embedded resources may have fields that metadata does
// not have. When the server begins to serve the definition it removes both. It
// puts each default into the smallest object that has it at its path, and
// coerces and prunes that object.
func PruneDefaults(node *schema.Node) *schema.Node {
	if !node.Facts().Has(schema.HasDefaults) {
		return node
	}
	pruner := sync.OnceValue(func() *pruning.Pruner { return pruning.New(node) })
	embedded := objectmeta.Embedded{Schema: node, IsResource: true}
	withoutEmbedded := !node.Facts().Has(schema.HasEmbedded)
	return node.RewriteDefaults(func(path schema.Path, def any) any {
		if withoutEmbedded && !canShrink(def) {
			return def
		}
		obj, ok := Enclose(path, def).(map[string]any)
		if !ok {
			return def // a default of the root that is not an object; the schema check refuses it
		}
		// Coerce leaves metadata that it cannot decode unchanged.
		_, _ = embedded.Coerce(obj, objectmeta.Options{DropInvalid: true})
		pruner().Prune(obj)
		after, _ := path.Lookup(obj)
		return after
	})
}

// canShrink reports whether pruning could remove something from v.
func canShrink(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// Enclose returns the smallest value that has v at path.
func Enclose(path schema.Path, v any) any {
	for i := len(path) - 1; i >= 0; i-- {
		if name, ok := path[i].Name(); ok {
			v = map[string]any{name: v}
		} else {
			v = []any{v}
		}
	}
	return v
}
