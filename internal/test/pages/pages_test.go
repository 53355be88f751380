package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the code of the pages; skipped with -short")
	}
	testkit.DependOnSources(t)
	root, err := testkit.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	Check(t, root, "", "controllertest")
}

func TestBlocks(t *testing.T) {
	const page = `# Title

    go test ./...

Text
    that is continued

1. a list

   ~~~go
   package a
   ~~~

` + "```go\npackage main\n\n\tx := 1\n```\n" + `
    x := 1

    y

` + "````text\n```\n````" + `
	func f()

` + "```\nnot closed"
	got := Blocks("a.md", page)
	want := []Block{
		{Page: "a.md", Line: 3, Text: "go test ./...\n"},
		{Page: "a.md", Line: 11, Language: "go", Text: "package a\n"},
		{Page: "a.md", Line: 15, Language: "go", Text: "package main\n\n\tx := 1\n"},
		{Page: "a.md", Line: 20, Text: "x := 1\n\ny\n"},
		{Page: "a.md", Line: 25, Language: "text", Text: "```\n"},
		{Page: "a.md", Line: 30, Text: "not closed\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var code []int
	for _, b := range got {
		if b.IsGo() {
			code = append(code, b.Line)
		}
	}
	if diff := cmp.Diff([]int{11, 15, 20}, code); diff != "" {
		t.Errorf("Go code (-want +got)\n%s", diff)
	}
}

func TestFile(t *testing.T) {
	const hello = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n%s}\n"
	text := func(end string) string { return strings.Replace(hello, "%s", end, 1) }
	for _, c := range []struct {
		name, text string
		next       *Block
		kind       kind
		want, err  string
	}{
		{name: "program", text: text(""), kind: program},
		{name: "text after a program", text: text(""), next: &Block{Language: "text", Text: "1\n"}, kind: program, want: "1\n"},
		{name: "output after a program", text: text(""), next: &Block{Language: "output", Text: "1\n"}, kind: program, want: "1\n"},
		{name: "another block after a program", text: text(""), next: &Block{Language: "sh", Text: "1\n"}, kind: program},
		{name: "comment", text: text("\t// Output:\n\t// 2\n\t// 3\n"), next: &Block{Language: "text", Text: "1\n"}, kind: program, want: "2\n3\n"},
		{name: "another module", text: "// module: m\n\n" + text(""), kind: program},
		{name: "test", text: "package a_test\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {}\n", kind: test},
		{name: "library", text: "package a\n", kind: library},
		{name: "fragment", text: "x := 1\n", err: "a.md:7: the Go code is not a whole file: it does not begin with a package clause"},
		{name: "declaration", text: "func f() {}\n", err: "a.md:7: the Go code is not a whole file: it does not begin with a package clause"},
		{name: "syntax", text: "package a\n\nfunc f( {}\n", err: "a.md:9: expected ')', found '{'"},
		{name: "format", text: "package a\nfunc f() {}\n", err: "a.md:7: the Go code is not formatted as gofmt does"},
	} {
		f, err := newFile(Block{Page: "a.md", Line: 7, Language: "go", Text: c.text}, c.next)
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if f.kind != c.kind || f.want != c.want {
			t.Errorf("%s: kind %d, output %q, want %d, %q", c.name, f.kind, f.want, c.kind, c.want)
		}
		if c.kind == program {
			if source := f.renamed("/src", "p1"); !strings.HasPrefix(source, "//line /src/a.md:7\n") || strings.Count(source, "package p1\n") != 1 {
				t.Errorf("%s: renamed to\n%s", c.name, source)
			}
		}
	}
	if got := (Block{Text: "// module: m\n\npackage a\n"}).module(); got != "m" {
		t.Errorf("module %q, want m", got)
	}
}

// TestRun runs the code of pages that need only the standard library.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the code of pages; skipped with -short")
	}
	m := checkout{root: t.TempDir(), dir: t.TempDir()}
	program := func(body, output string) string {
		return "```go\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\t" + body + "\n}\n```\n\nprints\n\n" + output
	}
	testFile := func(body string) string {
		return "```go\npackage a_test\n\nimport \"testing\"\n\nfunc Test(t *testing.T) {\n\t" + body + "\n}\n```\n"
	}
	for name, text := range map[string]string{
		"go.mod":    "module github.com/crdkit/crdkit\n\ngo 1.26.0\n",
		"go.sum":    "",
		"README.md": program("fmt.Println(1)", "```text\n1\n```\n"),
		"docs/a.md": program("fmt.Println(1)", "```text\n2\n```\n") + program("fmt.Println(1)", ""),
		"docs/b/c.md": program("panic(fmt.Sprint(7))", "") + testFile("t.Log(1)") + testFile("t.Fatal(1)") +
			"```go\npackage a\n```\n```go\n// module: none\n\npackage a\n```\n",
	} {
		name = filepath.Join(m.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	errs := m.read("", nil)
	if len(errs) != 1 || !strings.HasSuffix(errs[0].Error(), `: there is no module "none"`) {
		t.Errorf("reading: %v", errs)
	}
	if err := m.build(""); err != nil {
		t.Fatal(err)
	}
	want := []string{"", "the page says\n2", "prints\n1", "docs/b/c.md:7", "", "c.md:28", ""}
	if len(want) != len(m.files) {
		t.Fatalf("%d files, want %d", len(m.files), len(want))
	}
	for i, f := range m.files {
		err := m.run(t.Context(), i)
		if (err == nil) != (want[i] == "") || err != nil && !strings.Contains(err.Error(), want[i]) {
			t.Errorf("%s:%d: %v, want %q", f.Page, f.Line, err, want[i])
		}
	}
}
