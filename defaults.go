package crdkit

import (
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/pruning"
	"github.com/crdkit/crdkit/schema"
)

// Defaults that a definition declares have been checked since 1.16, but not
// everywhere: below additionalProperties they may hold fields that the schema
// does not know, and metadata of embedded resources may hold fields that
// metadata does not have. The server removes both from the defaults when it
// begins to serve a definition. Each default is put into the smallest object
// that has it in its place, and that object is coerced and pruned.

func pruneDefaults(node *schema.Node) *schema.Node {
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
		obj, ok := surround(place, def).(map[string]any)
		if !ok {
			return def // a root default that is no object; the schema check refuses it
		}
		// Metadata that cannot be coerced stays as it is: nothing fails here.
		_, _ = embedded.Coerce(obj, objectmeta.Options{DropInvalid: true})
		pruner.Prune(obj)
		return at(place, obj)
	})
}

// canShrink reports whether pruning could take something from v.
func canShrink(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

// surround returns the smallest value that has v at place.
func surround(place schema.Path, v any) any {
	for i := len(place) - 1; i >= 0; i-- {
		if name, ok := place[i].Name(); ok {
			v = map[string]any{name: v}
		} else {
			v = []any{v}
		}
	}
	return v
}

// at returns the value at place, nil if it is gone.
func at(place schema.Path, v any) any {
	for _, step := range place {
		switch parent := v.(type) {
		case map[string]any:
			name, _ := step.Name()
			v = parent[name]
		case []any:
			if len(parent) == 0 {
				return nil
			}
			v = parent[0]
		default:
			return nil
		}
	}
	return v
}
