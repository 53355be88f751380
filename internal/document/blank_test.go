package document

import (
	"testing"
)

func TestBlank(t *testing.T) {
	for doc, want := range map[string]bool{
		"":                         true,
		"\r\n \t\n":                true,
		"# a\n\n  # b\n":           true,
		"---\n":                    true,
		"%YAML 1.2\n%TAG ! a\n# b": true,
		"{}":                       false,
		"null\n":                   false,
		"# a\nb: c\n":              false,
		"...":                      false,
		"----\n":                   false,
	} {
		if got := Blank([]byte(doc)); got != want {
			t.Errorf("Blank(%q) = %t, want %t", doc, got, want)
		}
	}
}
