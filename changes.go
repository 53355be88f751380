package crdkit

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// change records changes at locations of the object, if the caller asked for
// it.
func (r *request) change(op Op, paths ...schema.Path) {
	if !r.report {
		return
	}
	r.result.Changes = slices.Grow(r.result.Changes, len(paths))
	for _, p := range paths {
		if r.watch.Ended() {
			return
		}
		r.result.Changes = append(r.result.Changes, Change{Op: op, Path: p})
	}
}

// reset records that the server overwrote a field.
func (r *request) reset(names ...string) {
	if !r.report {
		return
	}
	var path schema.Path
	for _, name := range names {
		path = append(path, schema.Field(name))
	}
	r.change(Reset, path)
}

// watchMetadata runs f and records what it changed in metadata.
func (r *request) watchMetadata(f func()) {
	if !r.report {
		f()
		return
	}
	before, _ := jsonval.Clone(r.obj.Object["metadata"]).(map[string]any)
	f()
	after, _ := r.obj.Object["metadata"].(map[string]any)
	for _, name := range sortedKeys(before, after) {
		if !jsonval.Equal(before[name], after[name]) {
			r.reset("metadata", name)
		}
	}
}

// sortedKeys returns the keys of both maps, each once.
func sortedKeys(a, b map[string]any) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}
