package compat

import (
	"fmt"

	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/schema"
)

// maxCountedDefaults bounds the defaults that are counted exactly.
const maxCountedDefaults = 6

// minProps returns the function that returns the condition that objects of a schema have
// at least so many members. Members that only get a default on this side count, too.
func (k *conditions) minProps(n *schema.Node) func(count int64) *search.Cond {
	var defaults []string
	if k.substitute {
		for name, child := range n.Properties() {
			if _, ok := child.Default(); ok {
				defaults = append(defaults, name)
			}
		}
	}
	return func(count int64) *search.Cond {
		switch added := int64(len(defaults)); {
		case added == 0:
			return search.MinProps(count)
		case added > maxCountedDefaults:
			some := search.Opaque(fmt.Sprintf("%d members with %q", count, defaults), search.Holds)
			return search.Or(search.MinProps(count), search.And(search.MinProps(count-added), some))
		}
		return withDefaults(count, defaults)
	}
}

// withDefaults returns the condition that an object has so many members, where absent ones
// with a default count.
func withDefaults(count int64, defaults []string) *search.Cond {
	if len(defaults) == 0 {
		return search.MinProps(count)
	}
	first, rest := defaults[0], defaults[1:]
	return search.Or(
		withDefaults(count, rest),
		search.And(search.Types(search.Object), search.Not(search.At(first, search.True)), withDefaults(count-1, rest)),
	)
}
