package pathstack_test

import (
	"slices"
	"testing"

	"github.com/crdkit/crdkit/internal/path/pathstack"
)

func TestTokens(t *testing.T) {
	for pointer, want := range map[string][]string{
		"":               nil,
		"/":              {""},
		"/a/0//b":        {"a", "0", "", "b"},
		"/a~1b/~0/~01/~": {"a/b", "~", "~1", "~"},
	} {
		if got := pathstack.Tokens(pointer); !slices.Equal(got, want) {
			t.Errorf("Tokens(%q) = %q, want %q", pointer, got, want)
		}
	}
}
