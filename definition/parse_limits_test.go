package definition_test

import (
	"strings"
	"testing"

	"github.com/crdkit/crdkit/definition"
)

// nested returns a definition in which levels objects and lists are nested.
func nested(levels int) string {
	const outer, inner = 5, 1 // the definition down to openAPIV3Schema, and the innermost schema
	n := levels - outer - inner
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":` +
		strings.Repeat(`{"items":`, n) + `{"type":"string"}` + strings.Repeat("}", n) + `}}]}}`
}

// Nesting is limited in JSON, in flow and in block style of YAML, by the same number.
func TestParseLimitsNesting(t *testing.T) {
	yaml := func(levels int) string { return "# YAML\n" + nested(levels) }
	block := func(levels int) string {
		const outer, inner = 5, 1
		var b strings.Builder
		b.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - schema:\n      openAPIV3Schema:\n")
		for i := range levels - outer - inner {
			b.WriteString(strings.Repeat(" ", 8+i) + "items:\n")
		}
		b.WriteString(strings.Repeat(" ", 8+levels-outer-inner) + "type: string\n")
		return b.String()
	}
	for name, text := range map[string]func(int) string{"JSON": nested, "YAML": yaml, "block": block} {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []int{20, 600, definition.DefaultMaxNesting} {
				opts := []definition.ParseOption{nil, definition.MaxNesting(limit)}
				if _, err := definition.Parse([]byte(text(limit)), opts...); err != nil {
					t.Errorf("%d levels: %v", limit, err)
				}
				_, err := definition.Parse([]byte(text(limit+1)), opts...)
				if err == nil || !strings.HasSuffix(err.Error(), "levels deep") {
					t.Errorf("%d levels: error %v", limit+1, err)
				}
			}
			if _, err := definition.Parse([]byte(text(definition.DefaultMaxNesting + 1))); err == nil {
				t.Error("no limit without an option")
			}
		})
	}
}

// A text that is nested too deep is refused before it is decoded.
func TestParseRefusesNestingBeforeItDecodes(t *testing.T) {
	grows(t, func(n int) func() {
		text := []byte(nested(n))
		return func() {
			if _, err := definition.Parse(text); err == nil {
				t.Error("accepted")
			}
		}
	}, 1_200)
}

func TestParseLimitsSize(t *testing.T) {
	text := []byte(nested(10))
	if _, err := definition.Parse(text, definition.MaxSize(len(text))); err != nil {
		t.Error(err)
	}
	_, err := definition.Parse(text, definition.MaxSize(len(text)-1))
	if err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a longer text: error %v", err)
	}
}
