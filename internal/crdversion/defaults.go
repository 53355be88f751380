package crdversion

import (
	"github.com/crdkit/crdkit/internal/objectmeta"
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
// puts each default into the smallest object that has it in its place, and
// coerces and prunes that object.
func PruneDefaults(node *schema.Node) *schema.Node {
	if !node.Facts().Has(schema.HasDefaults) {
		return node
	}
	pruner := pruning.New(node)
	embedded := objectmeta.NewEmbedded(node, objectmeta.ResourceRoot())
	plain := !node.Facts().Has(schema.HasEmbedded)
	return node.RewriteDefaults(func(place schema.Path, def any) any {
		if plain && !canShrink(def) {
			return def
		}
		obj, ok := Enclose(place, def).(map[string]any)
		if !ok {
			return def // a default of the root that is not an object; the schema check refuses it
		}
		// Coerce leaves metadata that it cannot decode unchanged.
		_, _ = embedded.Coerce(obj, objectmeta.Options{DropInvalid: true})
		pruner.Prune(obj)
		after, _ := place.Lookup(obj)
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

// Enclose returns the smallest value that has v at place.
func Enclose(place schema.Path, v any) any {
	for i := len(place) - 1; i >= 0; i-- {
		if name, ok := place[i].Name(); ok {
			v = map[string]any{name: v}
		} else {
			v = []any{v}
		}
	}
	return v
}
