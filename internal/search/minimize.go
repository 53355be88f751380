package search

import (
	"context"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// MaxRemovals is how many candidates one call of [Minimize] tries at most.
const MaxRemovals = 5000

// Minimize returns start, or a smaller case that passes try. object returns the object of a case.
// try returns the case of a candidate, and whether it passes. try may keep the candidate.
//
// Minimize ends when ctx ends or after [MaxRemovals] candidates. It then returns the smallest case
// so far.
func Minimize[T any](ctx context.Context, start T, object func(T) map[string]any, try func(candidate map[string]any) (T, bool)) T {
	for budget := MaxRemovals; ; {
		smaller, ok := shrink(ctx, object(start), object, try, &budget)
		if !ok {
			return start
		}
		start = smaller
	}
}

// shrink returns a case for obj without one part. It returns false if try accepts no case.
func shrink[T any](ctx context.Context, obj map[string]any, object func(T) map[string]any, try func(map[string]any) (T, bool), budget *int) (T, bool) {
	for _, part := range Parts(obj) {
		if *budget--; *budget < 0 || ctx.Err() != nil {
			break
		}
		candidate, _ := jsonval.Clone(obj).(map[string]any)
		Remove(candidate, part)
		if got, ok := try(candidate); ok && sizeOf(object(got)) < sizeOf(obj) {
			return got, true
		}
	}
	var none T
	return none, false
}

// Parts returns the removable parts of an object: large parts first, members by name, elements from
// the last one.
func Parts(obj map[string]any) []schema.Path { return parts(obj, nil) }

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

// Remove removes a part of [Parts] from obj.
func Remove(obj map[string]any, part schema.Path) { without(obj, part) }

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

// sizeOf returns roughly how many bytes a value takes in memory.
func sizeOf(v any) int {
	size := 16
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			size += 32 + len(name) + sizeOf(child)
		}
	case []any:
		for _, child := range v {
			size += sizeOf(child)
		}
	case string:
		size += len(v)
	}
	return size
}
