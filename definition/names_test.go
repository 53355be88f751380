package definition

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestIsLabel(t *testing.T) {
	names := []string{"", "a", "1", "-", "a1", "a-", "-a", "1a", "a-1", "a.b", "A", "a_b", "\u00e4", strings.Repeat("a", 63), strings.Repeat("a", 64)}
	for _, first := range names {
		for _, second := range names {
			name := first + second
			if got, want := isLabel(name), len(validation.IsDNS1035Label(name)) == 0; got != want {
				t.Errorf("isLabel(%q) = %v, want %v", name, got, want)
			}
		}
	}
}
