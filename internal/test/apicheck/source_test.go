package apicheck

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// A source is the source of a public package.
type source struct {
	name  string // import path
	fset  *token.FileSet
	files map[string]*ast.File // by base name, without tests
	tests []*ast.File
}

// publicPackages parses every package that other modules can import, in the
// order of their paths.
func publicPackages(t *testing.T) []source {
	t.Helper()
	testkit.DependOnSources(t)
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var sources []source
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return sources
		} else if err != nil {
			t.Fatalf("decoding the output of go list: %v", err)
		}
		if p.Name != "main" && !strings.Contains(p.ImportPath+"/", "/internal/") {
			sources = append(sources, parse(t, p))
		}
	}
}

type listed struct {
	ImportPath, Name, Dir              string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func parse(t *testing.T, p listed) source {
	t.Helper()
	s := source{name: p.ImportPath, fset: token.NewFileSet(), files: map[string]*ast.File{}}
	file := func(name string) *ast.File {
		f, err := parser.ParseFile(s.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, name := range p.GoFiles {
		s.files[name] = file(name)
	}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		s.tests = append(s.tests, file(name))
	}
	return s
}

// receiver returns the name of the receiver type of a method, "" for a function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	switch x := baseType(d.Recv.List[0].Type).(type) {
	case *ast.Ident:
		return x.Name
	default:
		return ""
	}
}

// baseType strips pointers and type arguments.
func baseType(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.StarExpr:
		return baseType(x.X)
	case *ast.IndexExpr:
		return baseType(x.X)
	case *ast.IndexListExpr:
		return baseType(x.X)
	default:
		return x
	}
}

// exported reports whether a function, or a method and its type, are exported.
func exported(d *ast.FuncDecl) bool {
	name := receiver(d)
	return d.Name.IsExported() && (name == "" || ast.IsExported(name))
}
