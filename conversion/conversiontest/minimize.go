package conversiontest

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/schema"
)

// minimize returns the failure of a smaller object. Every further removal makes
// the object survive, fail elsewhere, or be refused.
func (r *route) minimize(ctx context.Context, f *Failure) *Failure {
	for budget := maxSteps; ; {
		smaller := r.shrink(ctx, f, &budget)
		if smaller == nil || ctx.Err() != nil {
			return f
		}
		f = smaller
	}
}

// maxSteps is the maximal number of smaller objects to try.
const maxSteps = 5000

// shrink returns the failure of an object without one part, nil if there is
// none.
func (r *route) shrink(ctx context.Context, f *Failure, budget *int) *Failure {
	for _, part := range parts(f.Object.Object, nil) {
		if *budget--; *budget < 0 || ctx.Err() != nil {
			return nil
		}
		candidate := f.Object.DeepCopy()
		candidate.Object = without(candidate.Object, part).(map[string]any)
		obj, err := r.admit(ctx, candidate)
		if err != nil || obj == nil || size(obj.Object) >= size(f.Object.Object) {
			continue
		}
		if g := r.roundTrip(ctx, obj); g != nil && sameFailure(f, g) {
			return g
		}
	}
	return nil
}

// sameFailure reports whether two failures have the same kind and path. All
// elements of a list count as one, because they move when others are removed.
func sameFailure(f, g *Failure) bool {
	return f.Kind == g.Kind && generic(f.Path) == generic(g.Path)
}

func generic(path schema.Path) string {
	var b strings.Builder
	for _, step := range path {
		if name, ok := step.Name(); ok {
			b.WriteString("/" + schema.EscapePointer(name))
		} else {
			b.WriteString("/#")
		}
	}
	return b.String()
}

// parts returns the paths of the removable parts of v, large parts first.
func parts(v any, at schema.Path) []schema.Path {
	var found, below []schema.Path
	add := func(step schema.Step, child any) {
		path := append(slices.Clone(at), step)
		found = append(found, path)
		below = append(below, parts(child, path)...)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if len(at) > 0 || name != "apiVersion" && name != "kind" {
				add(schema.Field(name), v[name])
			}
		}
	case []any:
		for i := len(v) - 1; i >= 0; i-- {
			add(schema.Index(i), v[i])
		}
	}
	return append(found, below...)
}

// without removes a part from v, which it changes.
func without(v any, part schema.Path) any {
	step, last := part[0], len(part) == 1
	switch v := v.(type) {
	case map[string]any:
		name, _ := step.Name()
		if last {
			delete(v, name)
		} else {
			v[name] = without(v[name], part[1:])
		}
	case []any:
		i, _ := step.Index()
		if last {
			return slices.Delete(v, i, i+1)
		}
		v[i] = without(v[i], part[1:])
	}
	return v
}

// size returns the number of values in v.
func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			n += size(child)
		}
	case []any:
		for _, child := range v {
			n += size(child)
		}
	}
	return n
}
