package definition_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/definition"
)

// TestDifferenceAliases tests yaml/aliases of docs/DIFFERENCES.md.
func TestDifferenceAliases(t *testing.T) {
	text := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: &long " +
		strings.Repeat("x", 100_000) + "\nspec:\n  names: {shortNames: [" + strings.Repeat("*long, ", 1000) + "]}\n"
	_, err := definition.Parse([]byte(text))
	if want := "the aliases of the YAML document make it larger than 8388608 bytes"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Parse: error %v, want %q", err, want)
	}
}
