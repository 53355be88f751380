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
// The server warns of formats in random order; here it is that of the schema.
func Warnings(s *Shape) []string {
	var out []string
	for _, name := range ignoredFormats(s) {
		out = append(out, formatWarning(name))
	}
	return append(out, setWarnings(s)...)
}

// UpdateWarnings returns what the server warns of when a definition replaces
// old: what old does not have.
func UpdateWarnings(s, old *Shape) []string {
	before := ignoredFormats(old)
	var out []string
	for _, name := range ignoredFormats(s) {
		if !slices.Contains(before, name) {
			out = append(out, formatWarning(name))
		}
	}
	warned := setWarnings(old)
	for _, text := range setWarnings(s) {
		if !slices.Contains(warned, text) {
			out = append(out, text)
		}
	}
	return out
}

func formatWarning(name string) string { return fmt.Sprintf("unrecognized format %q", name) }

// ignoredFormats returns the formats that the server ignores, one each time it
// is used. It judges each schema by its type alone.
func ignoredFormats(s *Shape) []string {
	var out []string
	for _, root := range s.schemas() {
		for n := range everySchema(root) {
			if n.Format != "" && !format.Supported(n.Type, n.Format, format.DefaultMinor) {
				out = append(out, n.Format)
			}
		}
	}
	return out
}

func setWarnings(s *Shape) []string {
	texts := map[string]bool{}
	for _, root := range s.schemas() {
		for n := range everySchema(root) {
			items := itemsOf(n)
			if listType(n) == "set" && items != nil && (items.Type == "object" || items.Type == "array") {
				texts[fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", items.Type)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(texts))
}
