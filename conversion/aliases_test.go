package conversion

import (
	"strings"
	"testing"
)

// TestDifferenceAliases tests yaml/aliases of docs/DIFFERENCES.md.
func TestDifferenceAliases(t *testing.T) {
	text := "kind: ConversionReview\napiVersion: apiextensions.k8s.io/v1\nresponse:\n  uid: &long " +
		strings.Repeat("x", 100_000) + "\n  convertedObjects: [" + strings.Repeat("{kind: *long}, ", 1000) + "]\n"
	_, err := decodeResponse(text, "v1", 1000, 0)
	if want := "the aliases of the YAML document make it larger than 8388608 bytes"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("decode: error %v, want %q", err, want)
	}
}
