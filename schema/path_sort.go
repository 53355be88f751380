package schema

import (
	"bytes"
	"cmp"
	"slices"
)

// SortPaths sorts paths in increasing order of [Path.String], the order of the
// paths in reports. Paths that differ have equal strings if a name contains a dot
// or a bracket; the one with more steps comes first then.
//
// Of the options only [WithContext] has an effect: when the context ends, SortPaths
// returns early, and the order is unspecified.
func SortPaths(paths []Path, opts ...Option) {
	if len(paths) < 2 {
		return
	}
	type entry struct {
		path Path
		text []byte
	}
	watch := optionsOf(opts).watch
	entries, order := make([]entry, len(paths)), make([]*entry, len(paths))
	text := make([]byte, 0, textSize(paths))
	for i, p := range paths {
		if watch.Ended() {
			return
		}
		start := len(text)
		text = p.appendText(text)
		entries[i] = entry{path: p, text: text[start:len(text):len(text)]}
		order[i] = &entries[i]
	}
	slices.SortFunc(order, func(a, b *entry) int {
		if c := bytes.Compare(a.text, b.text); c != 0 {
			return c
		}
		return compareSteps(a.path, b.path)
	})
	for i, e := range order {
		if watch.Ended() {
			return
		}
		paths[i] = e.path
	}
}

// textSize returns the size of the texts of all paths, or a little more.
func textSize(paths []Path) int {
	n := 0
	for _, p := range paths {
		for _, s := range p {
			n += len(s.name) + len("[]")
			if s.kind == stepIndex {
				n += len("1234")
			}
		}
	}
	return n
}

// compareSteps orders paths with equal strings.
func compareSteps(a, b Path) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		return cmp.Or(
			bytes.Compare(a[i:i+1].appendText(nil), b[i:i+1].appendText(nil)),
			cmp.Compare(b[i].kind, a[i].kind), // indices, then keys, then fields
		)
	}
	return 0
}
