package crdkit_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit"
)

// TestDifferenceAliases tests yaml/aliases of docs/DIFFERENCES.md.
func TestDifferenceAliases(t *testing.T) {
	p, _ := cronTabPair(t)
	text := "apiVersion: jobs.example.org/v1\nkind: CronTab\nmetadata: {name: a}\nspec:\n  cronSpec: &long " +
		strings.Repeat("x", 100_000) + "\n  more: [" + strings.Repeat("*long, ", 1000) + "]\n"
	out, result, err := p.fast.CreateJSON(t.Context(), []byte(text), crdkit.YAML(), crdkit.Ignore)
	if err != nil || out != nil || result.Refusal == nil {
		t.Fatalf("CreateJSON = %d bytes, error %v, want a refusal", len(out), err)
	}
	if want := "the aliases of the YAML document make it larger than 8388608 bytes"; !strings.Contains(result.Refusal.Message, want) {
		t.Errorf("CreateJSON refuses with %q, want %q", result.Refusal.Message, want)
	}
}
