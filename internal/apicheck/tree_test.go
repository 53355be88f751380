package apicheck

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit"
)

// A goFile is a Go file of this module or of the module of the oracle.
type goFile struct {
	path  string // relative to the root of the module
	pkg   string // directory of the file, "." for the root
	fset  *token.FileSet
	ast   *ast.File
	lines int
}

func (f *goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// moduleFiles parses all Go files below the root, in the order of their paths.
func moduleFiles(t *testing.T) []*goFile {
	t.Helper()
	testkit.DependOnSources(t)
	root, err := testkit.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	var files []*goFile
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || path != root && strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		f, err := parseGoFile(root, path)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func parseGoFile(root, path string) (*goFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	rel = filepath.ToSlash(rel)
	f := &goFile{path: rel, pkg: filepath.ToSlash(filepath.Dir(rel)), fset: token.NewFileSet()}
	f.lines = bytes.Count(text, []byte("\n"))
	f.ast, err = parser.ParseFile(f.fset, rel, text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

// Limits on the size of files and functions. See CONTRIBUTING.md.
const (
	maxFileLines     = 450
	maxFunctionLines = 96
)

// TestSizes checks that no file and no function is too long. It logs the median
// length of functions. Functions of tests may be as long as their tables.
func TestSizes(t *testing.T) {
	var lengths []int
	for _, f := range moduleFiles(t) {
		if f.lines > maxFileLines {
			t.Errorf("%s has %d lines, want at most %d", f.path, f.lines, maxFileLines)
		}
		if f.isTest() {
			continue
		}
		for _, decl := range f.ast.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := f.fset.Position(d.End()).Line - f.fset.Position(d.Pos()).Line + 1
			if lengths = append(lengths, n); n > maxFunctionLines {
				t.Errorf("%s: function %s has %d lines, want at most %d", f.path, d.Name.Name, n, maxFunctionLines)
			}
		}
	}
	slices.Sort(lengths)
	t.Logf("%d functions, median %d lines, longest %d", len(lengths), lengths[len(lengths)/2], lengths[len(lengths)-1])
}

func parseText(t *testing.T, text string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
