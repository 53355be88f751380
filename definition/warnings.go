package definition

import (
	"fmt"
	"slices"
)

// createWarnings returns the server's warnings about a new definition: formats that it
// ignores, one for each use, and sets whose elements cannot be compared. The server lists
// formats in random order; here they are sorted.
func createWarnings(s *internalForm) []string {
	formats, sets := ignoredFormatsAndSets(s)
	var out []string
	for _, name := range formats {
		out = append(out, formatWarning(name))
	}
	return append(out, sets...)
}

// updateWarnings returns the server's warnings that the definition old does not have.
func updateWarnings(s, old *internalForm) []string {
	formats, sets := ignoredFormatsAndSets(s)
	formatsBefore, setsBefore := ignoredFormatsAndSets(old)
	var out []string
	for _, name := range formats {
		if !slices.Contains(formatsBefore, name) {
			out = append(out, formatWarning(name))
		}
	}
	for _, text := range sets {
		if !slices.Contains(setsBefore, text) {
			out = append(out, text)
		}
	}
	return out
}

func formatWarning(name string) string { return fmt.Sprintf("unrecognized format %q", name) }

// ignoredFormatsAndSets returns the formats that the server ignores, one for each use, and
// the warnings about sets, both sorted.
func ignoredFormatsAndSets(s *internalForm) (formats, sets []string) {
	add := func(v *internalVersion) {
		if v.root() != nil {
			formats, sets = append(formats, v.scan.formats...), append(sets, v.scan.sets...)
		}
	}
	add(&s.common)
	s.each(add)
	slices.Sort(formats)
	slices.Sort(sets)
	return formats, slices.Compact(sets)
}
