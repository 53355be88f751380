package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The longest name counts after which the text goes on as it must, as a search through all
// names finds it.
func TestPrefixIndexFindsTheLongestName(t *testing.T) {
	named := map[string]bool{}
	for _, name := range []string{"", "a", "a]", "a]b", "ab", "abc", "b", "b]]", "é", "]"} {
		named[name] = true
	}
	x := newPrefixIndex(named)
	ends := func(rest string) bool { return strings.HasPrefix(rest, "]") }
	for _, text := range []string{
		"", "]", "a", "a]", "a]]", "a]b]", "a]b", "a]c]", "ab]", "abc]", "abcd]", "ac]", "b]]]", "b]]", "b]x", "c]", "é]", "\x00", "]]",
	} {
		want := []string{"", "false"}
		for name := range named {
			rest, ok := strings.CutPrefix(text, name)
			if ok && ends(rest) && (want[1] == "false" || len(name) > len(want[0])) {
				want = []string{name, "true"}
			}
		}
		name, ok := x.longest(text, ends)
		if diff := cmp.Diff(want, []string{name, fmt.Sprint(ok)}); diff != "" {
			t.Errorf("longest(%q) (-want +got):\n%s", text, diff)
		}
	}
	if name, ok := newPrefixIndex(map[string]bool{}).longest("a]", ends); ok {
		t.Errorf("no names: found %q", name)
	}
}
