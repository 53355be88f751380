package fastpath

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/internal/interrupt"
)

// Undeclared fields are rare, so a walk does not keep its path. When it leaves a
// value in which it found some, it notes the step that led to the value. Read
// backwards, the notes lead from the root to the fields.

// finds are the undeclared fields that a walk has found.
type finds struct {
	notes []note

	// Memory of texts.
	levels []level
	path   []byte // of the current object
	all    []byte
	ends   []int
}

// A level is an object or list around fields: the index of its first note and the
// length of the path to it.
type level struct{ from, path int }

// clear removes what was found, and keeps the memory.
func (f *finds) clear() {
	clear(f.notes)
	f.notes = f.notes[:0]
}

// kept returns about how many bytes of memory clear keeps.
func (f *finds) kept() int {
	return (cap(f.notes)+cap(f.levels)+cap(f.ends))*noteSize + cap(f.path) + cap(f.all)
}

// A note is an undeclared field, or a step to the fields that are noted from an
// index on.
type note struct {
	name  string
	index int32 // of an element, negative if the step is to a field
	from  int32 // negative for an undeclared field
}

const noteSize = 24

// found notes a field of the object that the walk is in.
func (f *finds) found(name string) {
	f.notes = append(f.notes, note{name: name, index: -1, from: -1})
}

// throughField notes that a field leads to the notes from the given index on, if there
// are any.
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
func (f *finds) texts(prefix, suffix string, watch *interrupt.Watch) []string {
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
	return inOrder(string(all), ends, len(prefix), len(suffix), watch)
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
func inOrder(all string, ends []int, prefix, suffix int, watch *interrupt.Watch) []string {
	out := make([]string, len(ends))
	start := 0
	for i, end := range ends {
		out[len(out)-1-i] = all[start:end] // mostly the last field comes first
		start = end
	}
	middle := func(s string) string { return s[prefix : len(s)-suffix] }
	interrupt.SortFunc(watch, out, func(a, b string) int { return strings.Compare(middle(a), middle(b)) })
	return out
}
