package fastpath

import (
	"slices"
	"strconv"
	"strings"
)

// Undeclared fields are rare, so that a walk does not keep account of where it
// is. Instead, when it leaves a value in which it found some, it notes the step
// that led there. Read backwards, the notes go from the root to the fields.

// finds are the undeclared fields that a walk came across.
type finds struct {
	notes []note

	// What texts works with.
	levels []level
	path   []byte // of the object that the walk was in
	all    []byte
	ends   []int
}

// A level is an object or list around fields: the first note about it, and how
// long the path to it is.
type level struct{ from, path int }

// cleared returns the memory of f, free of what it refers to.
func (f *finds) cleared() finds {
	clear(f.notes)
	return finds{notes: f.notes[:0], levels: f.levels[:0], path: f.path[:0], all: f.all[:0], ends: f.ends[:0]}
}

// kept is about how much memory cleared returns.
func (f *finds) kept() int {
	return (cap(f.notes)+cap(f.levels)+cap(f.ends))*noteSize + cap(f.path) + cap(f.all)
}

// A note is a field that was found, or a step and from which note on it leads to
// what is noted.
type note struct {
	name  string
	index int32 // if it is not negative the step is that to an element
	from  int32 // negative for a field
}

const noteSize = 24

// found notes a field of the object that the walk is in.
func (f *finds) found(name string) {
	f.notes = append(f.notes, note{name: name, index: -1, from: -1})
}

// throughField notes that a field leads to what was noted from the given note
// on, if there is any.
func (f *finds) throughField(from int, name string) {
	if len(f.notes) > from {
		f.notes = append(f.notes, note{name: name, index: -1, from: int32(from)})
	}
}

// throughElement is throughField for an element of a list.
func (f *finds) throughElement(from, i int) {
	if len(f.notes) > from {
		f.notes = append(f.notes, note{index: int32(i), from: int32(from)})
	}
}

// texts returns for each field its path between prefix and suffix, in the order
// of the paths.
func (f *finds) texts(prefix, suffix string) []string {
	if len(f.notes) == 0 {
		return nil
	}
	levels, path, all, ends := f.levels[:0], f.path[:0], f.all[:0], f.ends[:0]
	for i := len(f.notes) - 1; i >= 0; i-- {
		for n := len(levels); n > 0 && i < levels[n-1].from; n-- {
			path, levels = path[:levels[n-1].path], levels[:n-1]
		}
		n := &f.notes[i]
		if n.from >= 0 {
			before := len(path)
			path = n.appendTo(path, len(levels) > 0)
			levels = append(levels, level{int(n.from), before})
			continue
		}
		all = append(append(all, prefix...), path...)
		all = append(n.appendTo(all, len(levels) > 0), suffix...)
		ends = append(ends, len(all))
	}
	f.levels, f.path, f.all, f.ends = levels, path, all, ends
	return inOrder(string(all), ends, len(prefix), len(suffix))
}

func (n *note) appendTo(path []byte, inside bool) []byte {
	if n.index >= 0 {
		return append(strconv.AppendInt(append(path, '['), int64(n.index), 10), ']')
	}
	if inside {
		path = append(path, '.')
	}
	return append(path, n.name...)
}

// inOrder cuts a text at its ends and returns the parts in the order of what is
// between prefix and suffix.
func inOrder(all string, ends []int, prefix, suffix int) []string {
	out := make([]string, len(ends))
	start := 0
	for i, end := range ends {
		out[len(out)-1-i] = all[start:end] // mostly the last field comes first
		start = end
	}
	middle := func(s string) string { return s[prefix : len(s)-suffix] }
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(middle(a), middle(b)) })
	return out
}
