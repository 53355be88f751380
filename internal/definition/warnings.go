package definition

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/format"
)

// Warnings returns what the server warns of when a definition is created:
// formats that it ignores, each time one is used, and sets of what cannot be
// compared.
//
// The server warns of formats in random order; here they are sorted.
func Warnings(s *Shape) []string {
	formats, sets := suspects(s)
	var out []string
	for _, name := range formats {
		out = append(out, formatWarning(name))
	}
	return append(out, sets...)
}

// UpdateWarnings returns what the server warns of when a definition replaces
// old: what old does not have.
func UpdateWarnings(s, old *Shape) []string {
	formats, sets := suspects(s)
	formatsBefore, setsBefore := suspects(old)
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

// suspects returns the formats that the server ignores, one each time it is
// used, and the warnings about sets, both sorted. Formats are judged by the
// type of their schema alone.
func suspects(s *Shape) (formats, sets []string) {
	texts := map[string]bool{}
	for _, root := range s.schemas() {
		for n := range everySchema(root) {
			if n.Format != "" && !format.Supported(n.Type, n.Format, format.DefaultMinor) {
				formats = append(formats, n.Format)
			}
			items := itemsOf(n)
			if listType(n) == "set" && items != nil && (items.Type == "object" || items.Type == "array") {
				texts[fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", items.Type)] = true
			}
		}
	}
	slices.Sort(formats)
	return formats, slices.Sorted(maps.Keys(texts))
}
