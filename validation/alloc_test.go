//go:build !race

package validation_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/validation"
)

// TestAllocations runs without the race detector, which empties the pool of embedded
// metadata at random.
func TestAllocations(t *testing.T) {
	for _, test := range valueTests(t) {
		switch {
		case len(test.Want) > 0,
			strings.Contains(string(test.Schema), "IMPORTANT!"),                                         // a property of this name selects the reference
			strings.Contains(string(test.Schema), "ipv"), strings.Contains(string(test.Schema), "k8s-"), // formats that strfmt checks
			strings.HasPrefix(test.Name, "long "), // lists whose elements are looked up
			strings.HasPrefix(test.Name, "set of objects"):
			continue
		}
		v := validation.New(compile(t, string(test.Schema)))
		obj := decode(t, string(test.Object))
		old := decode(t, string(test.Object))
		if got := testing.AllocsPerRun(20, func() { v.Valid(obj); v.Validate(obj); v.ValidateUpdate(obj, old) }); got != 0 {
			t.Errorf("%s: a valid object allocated %v times, want 0", test.Name, got)
		}
	}
}
