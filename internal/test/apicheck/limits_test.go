package apicheck

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// namedLimit matches a constant and its value in docs/LIMITS.md.
var namedLimit = regexp.MustCompile("`([a-z0-9/]+)\\.([A-Za-z]+) = ([^`]+)`")

// TestLimits checks that every constant which docs/LIMITS.md names exists and has the
// value that stands there.
func TestLimits(t *testing.T) {
	testkit.DependOnSources(t)
	text, err := os.ReadFile("../../../docs/LIMITS.md")
	if err != nil {
		t.Fatal(err)
	}
	named := namedLimit.FindAllStringSubmatch(string(text), -1)
	if len(named) < 40 {
		t.Errorf("LIMITS.md names %d constants, want at least 40", len(named))
	}
	for _, m := range named {
		pkg, name, value := m[1], m[2], m[3]
		source := constantSource(t, pkg, name)
		if source == "" {
			t.Errorf("package %s has no constant %s", pkg, name)
			continue
		}
		if got, want := evaluated(t, source), evaluated(t, value); !constant.Compare(got, token.EQL, want) {
			t.Errorf("%s.%s is %s, LIMITS.md says %s", pkg, name, source, value)
		}
	}
}

// constantSource returns the expression of a constant, "" if the package has none of
// that name.
func constantSource(t *testing.T, pkg, name string) string {
	dir := pkg
	if pkg == "crdkit" {
		dir = "."
	}
	files, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if source := constantOf(parsed, name); source != "" {
			return source
		}
	}
	return ""
}

func constantOf(file *ast.File, name string) string {
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			spec := s.(*ast.ValueSpec)
			for i := range spec.Names {
				if spec.Names[i].Name == name && i < len(spec.Values) {
					return gotypes.ExprString(spec.Values[i])
				}
			}
		}
	}
	return ""
}

// evaluated returns the value of an expression of numbers, in seconds for durations.
func evaluated(t *testing.T, expression string) constant.Value {
	v, err := gotypes.Eval(token.NewFileSet(), nil, token.NoPos, strings.ReplaceAll(expression, "time.Second", "1"))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v.Value
}
