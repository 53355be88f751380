package apicheck

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// headings are the sections that every manual has, in this order.
var headings = []string{"# Semantics", "# Differences from Kubernetes", "# Concurrency and ownership"}

// manualLines is the smallest length of a manual.
const manualLines = 20

// TestManuals checks that doc.go of each public package is its manual, and
// that no other file has a package comment.
func TestManuals(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go list; skipped with -short")
	}
	for _, s := range publicPackages(t) {
		manual, ok := s.files["doc.go"]
		if !ok || manual.Doc == nil {
			t.Errorf("package %s has no manual in doc.go", s.name)
			continue
		}
		text := manual.Doc.Text()
		if got := strings.Count(text, "\n"); got < manualLines {
			t.Errorf("the manual of %s has %d lines, want at least %d", s.name, got, manualLines)
		}
		checkHeadings(t, s.name, text)
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			if name != "doc.go" && s.files[name].Doc != nil {
				t.Errorf("package %s has a package comment in %s, too", s.name, name)
			}
		}
	}
}

func checkHeadings(t *testing.T, name, text string) {
	t.Helper()
	if first, _, _ := strings.Cut(text, " "); first != "Package" {
		t.Errorf("the manual of %s begins with %q, want Package", name, first)
	}
	rest := "\n" + text
	for _, heading := range headings {
		_, after, ok := strings.Cut(rest, "\n"+heading+"\n")
		if !ok {
			t.Errorf("the manual of %s has no section %q, or not in this order", name, heading)
			continue
		}
		rest = "\n" + after
	}
}

// TestComments checks that every exported name has a comment and that those of
// types and functions begin with the name.
func TestComments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go list; skipped with -short")
	}
	for _, s := range publicPackages(t) {
		for _, file := range s.files {
			for _, decl := range file.Decls {
				for _, problem := range uncommented(decl) {
					t.Errorf("%s: %s", s.fset.Position(decl.Pos()), problem)
				}
			}
		}
	}
}

func uncommented(decl ast.Decl) []string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if exported(d) {
			return commentProblems(d.Name.Name, d.Doc)
		}
	case *ast.GenDecl:
		var problems []string
		for _, spec := range d.Specs {
			problems = append(problems, uncommentedSpec(d, spec)...)
		}
		return problems
	}
	return nil
}

func uncommentedSpec(d *ast.GenDecl, spec ast.Spec) []string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return nil
		}
		doc := spec.Doc
		if doc == nil {
			doc = d.Doc
		}
		return append(commentProblems(spec.Name.Name, doc), uncommentedMembers(spec)...)
	case *ast.ValueSpec:
		var problems []string
		for _, name := range spec.Names {
			if name.IsExported() && !valueCommented(d, spec) {
				problems = append(problems, name.Name+" has no comment")
			}
		}
		return problems
	}
	return nil
}

// valueCommented reports whether a constant or variable has a comment: its own,
// that of its group, or that of an earlier one in the group.
func valueCommented(d *ast.GenDecl, spec *ast.ValueSpec) bool {
	if d.Doc != nil {
		return true
	}
	for _, other := range d.Specs {
		v := other.(*ast.ValueSpec)
		if v.Doc != nil || v == spec && v.Comment != nil {
			return true
		}
		if v == spec {
			return false
		}
	}
	return false
}

// uncommentedMembers returns the methods of an interface, and the fields of a
// struct named Result or Report, that have no comment. The comment of the type
// may describe the fields of other structs.
func uncommentedMembers(spec *ast.TypeSpec) []string {
	var list *ast.FieldList
	switch x := spec.Type.(type) {
	case *ast.StructType:
		if spec.Name.Name == "Result" || spec.Name.Name == "Report" {
			list = x.Fields
		}
	case *ast.InterfaceType:
		list = x.Methods
	}
	if list == nil {
		return nil
	}
	var problems []string
	for _, f := range list.List {
		for _, name := range f.Names {
			if name.IsExported() && f.Doc == nil && f.Comment == nil {
				problems = append(problems, spec.Name.Name+"."+name.Name+" has no comment")
			}
		}
	}
	return problems
}

// commentProblems returns the problems of the comment of a type or function.
func commentProblems(name string, doc *ast.CommentGroup) []string {
	text := doc.Text()
	if text == "" {
		return []string{name + " has no comment"}
	}
	for _, article := range []string{"", "A ", "An ", "The "} {
		if strings.HasPrefix(text, article+name) {
			return nil
		}
	}
	return []string{"the comment of " + name + " does not begin with the name"}
}

// entryPoint matches functions that create the main type of a package.
var entryPoint = regexp.MustCompile(`^(New|Compile|Parse|Check|Estimate|Handler)([A-Z]|$)`)

// TestExamples checks that every entry point has an example whose output is
// checked.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go list; skipped with -short")
	}
	for _, s := range publicPackages(t) {
		examples := s.examples()
		for _, file := range s.files {
			for _, decl := range file.Decls {
				d, ok := decl.(*ast.FuncDecl)
				if !ok || d.Recv != nil || !entryPoint.MatchString(d.Name.Name) {
					continue
				}
				if !examples[d.Name.Name] {
					t.Errorf("package %s has no example of %s with an output", s.name, d.Name.Name)
				}
			}
		}
	}
}

// examples returns the names that have an example with a checked output. An
// example of the package itself does not count.
func (s source) examples() map[string]bool {
	names := map[string]bool{}
	for _, file := range s.tests {
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(d.Name.Name, "Example") {
				continue
			}
			if hasOutput(file, d) {
				name, _, _ := strings.Cut(strings.TrimPrefix(d.Name.Name, "Example"), "_")
				names[name] = true
			}
		}
	}
	return names
}

var output = regexp.MustCompile(`(?i)^(unordered )?output:`)

func hasOutput(file *ast.File, d *ast.FuncDecl) bool {
	return slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		return d.Body.Pos() <= c.Pos() && c.End() <= d.Body.End() && output.MatchString(c.Text())
	})
}
