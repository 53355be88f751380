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
		"...":                      true,
		"# a\rb: c\r":              false,
		"# a\u0085b: c":            false,
		"# a\u2028b: c":            false,
		"# a\u2029b: c":            false,
		"# a\r# b\u2028":           true,
		"----\n":                   false,
	} {
		if got := Blank([]byte(doc)); got != want {
			t.Errorf("Blank(%q) = %t, want %t", doc, got, want)
		}
	}
}
