package definition

import (
	"maps"
	"slices"
	"strings"
)

// A prefixIndex finds the longest of many names with which a text begins.
type prefixIndex struct {
	names []string // sorted
	// prefix has for each name the index of the longest other name that is a prefix of
	// it, -1 if there is none.
	prefix []int
}

func newPrefixIndex[V any](named map[string]V) *prefixIndex {
	x := &prefixIndex{names: slices.Sorted(maps.Keys(named)), prefix: make([]int, len(named))}
	var open []int // the prefixes of the last name among the names, increasing in length
	for i, name := range x.names {
		for len(open) > 0 && !strings.HasPrefix(name, x.names[open[len(open)-1]]) {
			open = open[:len(open)-1]
		}
		x.prefix[i] = -1
		if len(open) > 0 {
			x.prefix[i] = open[len(open)-1]
		}
		open = append(open, i)
	}
	return x
}

// longest returns the longest name with which text begins and after which text may go on,
// as ends decides. It reports false if there is none.
//
// Every name with which text begins is also a prefix of the last name that is not greater
// than text.
func (x *prefixIndex) longest(text string, ends func(rest string) bool) (string, bool) {
	i, found := slices.BinarySearch(x.names, text)
	if !found {
		i--
	}
	if i < 0 {
		return "", false
	}
	common := commonPrefix(x.names[i], text)
	for ; i >= 0; i = x.prefix[i] {
		if n := len(x.names[i]); n <= common && ends(text[n:]) {
			return x.names[i], true
		}
	}
	return "", false
}

// commonPrefix returns the length of the longest common prefix of two texts in bytes.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
