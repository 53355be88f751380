package compat

import (
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// A step leads from a value to a part of it.
type step struct {
	name   string   // a member
	item   bool     // an element
	others []string // not nil: a member that is not in the list
}

// within returns the condition that a value has a part at the steps which
// satisfies c.
func within(steps []step, c *search.Cond) *search.Cond {
	for i := len(steps) - 1; i >= 0; i-- {
		switch s := steps[i]; {
		case s.item:
			c = search.SomeItem(c)
		case s.others != nil:
			c = search.SomeOther(s.others, c)
		default:
			c = search.At(s.name, c)
		}
	}
	return c
}

// fieldOf spells steps as a field path, with [*] for any element and any key.
func fieldOf(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case s.item || s.others != nil:
			b.WriteString("[*]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		}
	}
	return b.String()
}

// partsAt returns the values at the steps in v.
func partsAt(v any, steps []step) []any {
	if len(steps) == 0 {
		return []any{v}
	}
	var out []any
	switch s, rest := steps[0], steps[1:]; v := v.(type) {
	case []any:
		for i := range v {
			if s.item {
				out = append(out, partsAt(v[i], rest)...)
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if member := v[name]; s.name == name && s.others == nil && !s.item || s.others != nil && !slices.Contains(s.others, name) {
				out = append(out, partsAt(member, rest)...)
			}
		}
	}
	return out
}

func propertyPointer(pointer, name string) string {
	return pointer + "/properties/" + schema.EscapePointer(name)
}
