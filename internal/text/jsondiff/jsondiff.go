package jsondiff

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/schema"
)

// A Kind says how two values differ at a path.
type Kind uint8

// The kinds of differences.
const (
	Removed  Kind = iota // only the first value has the path
	Added                // only the second value has the path
	Replaced             // both values have the path, with different content
)

// A Difference is a path at which two values differ.
type Difference struct {
	Kind          Kind
	Path          schema.Path
	Before, After any // nil for the value that lacks the path
}

// Of returns the differences between before and after, depth first. Fields come in
// increasing order of name. The result is nil if the values are equal.
func Of(before, after any) []Difference {
	w := walk{}
	w.compareValues(before, after)
	return w.found
}

type walk struct {
	path  schema.Path
	found []Difference
}

func (w *walk) add(kind Kind, step schema.Step, before, after any) {
	path := append(slices.Clone(w.path), step)
	w.found = append(w.found, Difference{Kind: kind, Path: path, Before: before, After: after})
}

func (w *walk) compareValues(before, after any) {
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			w.compareObjects(b, a)
			return
		}
	case []any:
		if a, ok := after.([]any); ok {
			w.compareLists(b, a)
			return
		}
	}
	if !jsonval.Equal(before, after) {
		w.found = append(w.found, Difference{Kind: Replaced, Path: slices.Clone(w.path), Before: before, After: after})
	}
}

func (w *walk) compareObjects(before, after map[string]any) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		b, inBefore := before[name]
		a, inAfter := after[name]
		w.compareMember(schema.Field(name), b, a, inBefore, inAfter)
	}
}

func (w *walk) compareLists(before, after []any) {
	for i := range max(len(before), len(after)) {
		var b, a any
		if i < len(before) {
			b = before[i]
		}
		if i < len(after) {
			a = after[i]
		}
		w.compareMember(schema.Index(i), b, a, i < len(before), i < len(after))
	}
}

func (w *walk) compareMember(step schema.Step, before, after any, inBefore, inAfter bool) {
	switch {
	case !inAfter:
		w.add(Removed, step, before, nil)
	case !inBefore:
		w.add(Added, step, nil, after)
	default:
		w.path = append(w.path, step)
		w.compareValues(before, after)
		w.path = w.path[:len(w.path)-1]
	}
}
