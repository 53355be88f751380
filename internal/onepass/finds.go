package onepass

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/schema"
)

// finds are the undeclared fields that a walk came across.
type finds struct {
	unknown [][]schema.Step // paths in reverse, of what is left of the way up
}

// usualDepth is how many steps of a path there is room for at first.
const usualDepth = 8

// find notes a field of the object that the walk is in.
func (f *finds) find(name string) {
	f.unknown = append(f.unknown, append(make([]schema.Step, 0, usualDepth), schema.Field(name)))
}

// climb adds a step to the paths that were found from the given one on.
func (f *finds) climb(from int, s schema.Step) {
	for i := from; i < len(f.unknown); i++ {
		f.unknown[i] = append(f.unknown[i], s)
	}
}

// paths returns what was found, in the order of what it is written as.
func (f *finds) paths() []schema.Path {
	if len(f.unknown) == 0 {
		return nil
	}
	type named struct {
		text string
		path schema.Path
	}
	list := make([]named, len(f.unknown))
	for i, steps := range f.unknown {
		slices.Reverse(steps)
		list[i] = named{schema.Path(steps).String(), steps}
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.text, b.text) })
	out := make([]schema.Path, len(list))
	for i := range list {
		out[i] = list[i].path
	}
	return out
}
