package schema

import (
	"cmp"
	"slices"
)

// SortPaths sorts paths in increasing order of [Path.String], the order of the
// paths in reports. Paths that differ have equal strings if a name contains a dot
// or a bracket; the one with more steps comes first then.
func SortPaths(paths []Path) {
	if len(paths) < 2 {
		return
	}
	type entry struct {
		path Path
		text string
	}
	entries := make([]entry, len(paths))
	for i, p := range paths {
		entries[i] = entry{p, p.String()}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.text, b.text), compareSteps(a.path, b.path))
	})
	for i, e := range entries {
		paths[i] = e.path
	}
}

// compareSteps orders paths with equal strings.
func compareSteps(a, b Path) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	for i := range a {
		if a[i] != b[i] {
			return cmp.Or(
				cmp.Compare(a[i:i+1].String(), b[i:i+1].String()),
				cmp.Compare(b[i].kind, a[i].kind), // indices, then keys, then fields
			)
		}
	}
	return 0
}
