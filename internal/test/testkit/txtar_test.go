package testkit

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestRunTxtar(t *testing.T) {
	RunTxtar(t, "testdata/*.txtar", []string{"object.yaml", "want.json"}, func(t *testing.T, c *Case) {
		c.Want(t, "want.json", string(Encode(c.Object(t, "object.yaml"))))
	})
}

func TestUnknownSection(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"fine", "About.\n-- a --\n-- b --\n", ""},
		{"unknown", "About.\n-- a --\n-- c --\n", "unknown section c"},
		{"twice", "About.\n-- a --\n-- a --\n", "section a is there twice"},
		{"without a comment", "-- a --\n", "does not say what it is about"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := unknownSection(txtar.Parse([]byte(tt.text)), []string{"a", "b"})
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("unknownSection = %q, want something with %q", got, tt.want)
			}
		})
	}
}

func TestWantRewritesSection(t *testing.T) {
	c := &Case{archive: txtar.Parse([]byte("About.\n-- a --\nold\n-- b --\nx\n"))}
	c.replace("a", "new\n")
	c.replace("b", "")
	c.replace("c", "more\n")
	const want = "About.\n-- a --\nnew\n-- c --\nmore\n"
	if got := string(txtar.Format(c.archive)); got != want || !c.changed {
		t.Errorf("after replace: %q, want %q", got, want)
	}
}
