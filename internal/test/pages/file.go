package pages

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A kind says what is done with a file.
type kind int

const (
	program kind = iota // runs, and its output is compared
	test                // its tests run
	library             // is compiled
)

// A file is a block that is a whole Go file.
type file struct {
	Block
	kind kind
	want string // the output of a program
	// clause is the offset of the name in the package clause.
	clause int
}

var outputComment = regexp.MustCompile(`(?i)^\s*output:\s*\n?`)

// newFile checks that a block is a whole file. It returns what is wrong otherwise. The
// block after it on the page is nil if there is none.
func newFile(b Block, next *Block) (*file, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "", b.source(b.Text), parser.ParseComments|parser.SkipObjectResolution)
	if parsed == nil || parsed.Name == nil || parsed.Name.Name == "_" || parsed.Name.Name == "" {
		return nil, fmt.Errorf("%s:%d: the Go code is not a whole file: it does not begin with a package clause", b.Page, b.Line)
	}
	if err != nil {
		return nil, err // begins with the page and the line
	}
	if formatted, err := format.Source([]byte(b.Text)); err != nil || string(formatted) != b.Text {
		return nil, fmt.Errorf("%s:%d: the Go code is not formatted as gofmt does", b.Page, b.Line)
	}
	f := &file{Block: b, kind: library, clause: set.PositionFor(parsed.Name.Pos(), false).Offset - len(b.source(""))}
	switch {
	case imports(parsed, "testing"):
		f.kind = test
	case parsed.Name.Name == "main":
		f.kind = program
		if n := len(parsed.Comments); n > 0 && outputComment.MatchString(parsed.Comments[n-1].Text()) {
			f.want = outputComment.ReplaceAllString(parsed.Comments[n-1].Text(), "")
		} else if next != nil && next.isOutput() {
			f.want = next.Text
		}
	}
	return f, nil
}

func imports(f *ast.File, path string) bool {
	return slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"`+path+`"` })
}

// source returns the text of a file with the positions of the page.
func (b Block) source(text string) string {
	return fmt.Sprintf("//line %s:%d\n%s", b.Page, b.Line, text)
}

// renamed returns the source of a program as a package of another name, whose function
// PageMain is the main function of the program.
func (f *file) renamed(root, name string) string {
	return f.in(root).source(f.Text[:f.clause]+name+f.Text[f.clause+len("main"):]) + "\nfunc PageMain() { main() }\n"
}

// located returns the source of a file that is no program.
func (f *file) located(root string) string { return f.in(root).source(f.Text) }

// in returns the block with the path of its page in the file system. The go command would
// take a relative path to be below the directory of the file.
func (b Block) in(root string) Block {
	b.Page = filepath.Join(root, filepath.FromSlash(b.Page))
	return b
}

// printed returns output without spaces at the ends of lines and lines at the end.
func printed(output string) string {
	lines := strings.Split(output, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
