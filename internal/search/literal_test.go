package search

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLiterals lists what the values of rules are compared with.
func TestLiterals(t *testing.T) {
	var got strings.Builder
	for _, rule := range []string{
		`self.a.b > 3 && oldSelf.c == "x\n"`,
		`self.matches(r'^a\d$') || size(self.list) <= 0x10`,
		`self['a/b'] == 'it\'s' && self.__namespace__ == "a" && "a" in self.m`,
		`self.l.all(x, x.name == -7)`,
		`"""text""" == self`,
		`'text == self`,
	} {
		l := literalsOf(rule)
		fmt.Fprintf(&got, "texts %q, numbers %v, names %q, paths %q, old %v, all %v\n",
			l.texts, l.numbers, slices.Sorted(maps.Keys(l.names)), l.paths, l.usesOld, l.usesAll)
	}
	want := `texts ["x\n"], numbers [3], names ["a" "b" "c" "self" "x\n"], paths [["a" "b"] ["c"]], old true, all false
texts ["^a\\d$"], numbers [16], names ["^a\\d$" "list" "self"], paths [["list"]], old false, all false
texts ["a/b" "it's" "a"], numbers [], names ["a" "a/b" "it's" "m" "namespace" "self"], paths [["namespace"] ["m"]], old false, all false
texts [], numbers [7], names ["l" "name" "self" "x"], paths [["l"]], old false, all false
texts ["text"], numbers [], names ["self" "text"], paths [], old false, all false
texts [], numbers [], names [], paths [], old false, all true
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("literals (-want +got):\n%s", diff)
	}
}
