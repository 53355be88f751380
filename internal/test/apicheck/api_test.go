package apicheck

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/google/go-cmp/cmp"
)

const golden = "../../../api.txt"

// TestAPI compares the exported API with api.txt, or writes it with -update.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go list; skipped with -short")
	}
	var got []string
	for _, s := range publicPackages(t) {
		got = append(got, s.api()...)
	}
	text := strings.Join(got, "\n") + "\n"
	if testkit.Update() {
		if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("the exported API changed (-api.txt +source); if that is meant, run\ngo test ./internal/test/apicheck -run TestAPI -update\n%s", diff)
	}
}

// api returns a sorted line for each declaration that the package exports.
func (s source) api() []string {
	var lines []string
	add := func(line string) { lines = append(lines, "pkg "+s.name+", "+line) }
	for _, file := range s.files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if exported(d) {
					add(s.function(d))
				}
			case *ast.GenDecl:
				s.general(d, add)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func (s source) function(d *ast.FuncDecl) string {
	signature := strings.TrimPrefix(s.text(d.Type), "func")
	if d.Recv == nil {
		return "func " + d.Name.Name + signature
	}
	return "method (" + s.text(d.Recv.List[0].Type) + ") " + d.Name.Name + signature
}

func (s source) general(d *ast.GenDecl, add func(string)) {
	var last ast.Expr // the type of a constant that repeats it implicitly
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				s.typeSpec(spec, add)
			}
		case *ast.ValueSpec:
			if spec.Type != nil || len(spec.Values) > 0 {
				last = spec.Type
			}
			s.values(d.Tok, spec, last, add)
		}
	}
}

func (s source) values(tok token.Token, spec *ast.ValueSpec, typ ast.Expr, add func(string)) {
	for i, name := range spec.Names {
		if !name.IsExported() {
			continue
		}
		line := tok.String() + " " + name.Name
		if typ != nil {
			line += " " + s.text(typ)
		}
		if i < len(spec.Values) {
			if literal, ok := spec.Values[i].(*ast.BasicLit); ok {
				line += " = " + literal.Value
			}
		}
		add(line)
	}
}

func (s source) typeSpec(spec *ast.TypeSpec, add func(string)) {
	prefix := "type " + spec.Name.Name
	if spec.TypeParams != nil {
		prefix += s.fieldTypes(spec.TypeParams)
	}
	if spec.Assign.IsValid() {
		prefix += " ="
	}
	switch x := spec.Type.(type) {
	case *ast.StructType:
		add(prefix + " struct")
		s.members(prefix+" struct, ", x.Fields, add)
	case *ast.InterfaceType:
		sealed := ""
		if slices.ContainsFunc(x.Methods.List, unexportedMember) {
			sealed = " { unexported methods }"
		}
		add(prefix + " interface" + sealed)
		s.members(prefix+" interface, ", x.Methods, add)
	default:
		add(prefix + " " + s.text(spec.Type))
	}
}

func unexportedMember(f *ast.Field) bool {
	return len(f.Names) > 0 && !f.Names[0].IsExported()
}

// members adds the exported fields of a struct or methods of an interface, and
// embedded types, as their methods are promoted.
func (s source) members(prefix string, list *ast.FieldList, add func(string)) {
	for _, f := range list.List {
		if len(f.Names) == 0 {
			add(prefix + "embedded " + s.text(f.Type))
		}
		for _, name := range f.Names {
			if name.IsExported() {
				signature := s.text(f.Type)
				if _, ok := f.Type.(*ast.FuncType); ok && strings.HasSuffix(prefix, "interface, ") {
					signature = strings.TrimPrefix(signature, "func")
				} else {
					signature = " " + signature
				}
				add(prefix + name.Name + signature)
			}
		}
	}
}

func (s source) fieldTypes(list *ast.FieldList) string {
	var params []string
	for _, f := range list.List {
		for _, name := range f.Names {
			params = append(params, name.Name+" "+s.text(f.Type))
		}
	}
	return "[" + strings.Join(params, ", ") + "]"
}

// text prints a node on one line, without comments.
func (s source) text(node ast.Node) string {
	var b bytes.Buffer
	config := printer.Config{Mode: printer.RawFormat}
	if err := config.Fprint(&b, s.fset, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
