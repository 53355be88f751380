package apicheck

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// retiredProse matches words and phrases that comments and string literals no
// longer use. It has only words without another meaning: a text may call a
// message plain or ordinary, so these words are retired in identifiers only.
var retiredProse = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	"quick", "quickly", "unsure", "not sure", "gives? up", "shortcuts?", // decline, fast
	"untouched", "peek", // unmodified, view
	"forgiving", "hopeless", "excused", // candidate, forgiven
	"trail", "whereabouts", // path stack, schema pointer, JSON pointer, field path
	"survey", "twin", // rule checker
	"settled", "obstacles?", "rehears(e|al)", // reconciled, blocker, dry run
	"blurred", "tabular", "put off", // integral float, kubectl, lazily
	"what becomes", "whoever", "such that is", // riddles
}, "|") + `)\b`)

// TestProse checks that no comment and no string literal of this module uses a
// retired word. This package names the words.
func TestProse(t *testing.T) {
	for _, f := range moduleFiles(t) {
		if f.pkg == "internal/apicheck" {
			continue
		}
		for _, p := range prose(f.ast) {
			if word := retiredProse.FindString(p.text); word != "" {
				t.Errorf("%s: %q is a retired word; see docs/ARCHITECTURE.md for the terms", f.fset.Position(p.pos), word)
			}
		}
	}
}

// A passage is a comment or a string literal.
type passage struct {
	text string
	pos  token.Pos
}

// prose returns the comments and the string literals of a file. The text of a
// comment is one line, so that a phrase may span lines.
func prose(file *ast.File) []passage {
	var out []passage
	for _, group := range file.Comments {
		out = append(out, passage{strings.Join(strings.Fields(group.Text()), " "), group.Pos()})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			out = append(out, passage{lit.Value, lit.Pos()})
		}
		return true
	})
	return out
}

// TestRetiredProse pins what the pattern finds in a small file.
func TestRetiredProse(t *testing.T) {
	file := parseText(t, `package p
// A parser gives
// up, or is quick.
var a = "the settled status" // trailing, untouchedness

// quickstart
var b = "what becomes of it"
`)
	var got []string
	for _, p := range prose(file) {
		got = append(got, retiredProse.FindAllString(p.text, -1)...)
	}
	slices.Sort(got)
	if want := []string{"gives up", "quick", "settled", "what becomes"}; !slices.Equal(got, want) {
		t.Errorf("retired words in %q, want %q", got, want)
	}
}
