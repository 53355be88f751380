package testkit

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted results in testdata")

// Update reports whether the flag -update is set.
func Update() bool { return *update }

// A Case is one txtar file of a test.
type Case struct {
	Name    string // file name without .txtar
	archive *txtar.Archive
	changed bool
}

// Has reports whether the file has this section.
func (c *Case) Has(section string) bool { return c.index(section) >= 0 }

// Section returns the text of a section, "" if there is none.
func (c *Case) Section(section string) string {
	if i := c.index(section); i >= 0 {
		return string(c.archive.Files[i].Data)
	}
	return ""
}

// Object decodes a section, which must exist.
func (c *Case) Object(t testing.TB, section string) map[string]any {
	t.Helper()
	if !c.Has(section) {
		t.Fatalf("no section %q", section)
	}
	obj, err := Decode([]byte(c.Section(section)))
	if err != nil {
		t.Fatalf("section %q: %v", section, err)
	}
	return obj
}

// Want compares got with a section. With -update it replaces the section by
// got, or removes it if got is empty.
func (c *Case) Want(t testing.TB, section, got string) {
	t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	want := c.Section(section)
	if got == want {
		return
	}
	if !Update() {
		t.Errorf("section %q (-want +got):\n%s", section, cmp.Diff(want, got))
		return
	}
	c.replace(section, got)
}

func (c *Case) replace(section, text string) {
	c.changed = true
	i := c.index(section)
	switch {
	case text == "":
		c.archive.Files = slices.Delete(c.archive.Files, i, i+1)
	case i < 0:
		c.archive.Files = append(c.archive.Files, txtar.File{Name: section, Data: []byte(text)})
	default:
		c.archive.Files[i].Data = []byte(text)
	}
}

func (c *Case) index(section string) int {
	return slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == section })
}

// RunTxtar runs a subtest for every file that matches the pattern, with the
// name of the file. sections are the allowed sections. Another section, a
// repeated section, and a pattern without a match fail the test.
func RunTxtar(t *testing.T, pattern string, sections []string, run func(t *testing.T, c *Case)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %q (%v)", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			runFile(t, path, sections, run)
		})
	}
}

func runFile(t *testing.T, path string, sections []string, run func(t *testing.T, c *Case)) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if problem := unknownSection(archive, sections); problem != "" {
		t.Fatal(problem)
	}
	c := &Case{Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), archive: archive}
	run(t, c)
	if c.changed && !t.Failed() {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// unknownSection describes what is wrong with the sections of a file. It
// returns "" if nothing is.
func unknownSection(archive *txtar.Archive, sections []string) string {
	seen := map[string]bool{}
	for _, f := range archive.Files {
		switch {
		case !slices.Contains(sections, f.Name):
			return "unknown section " + f.Name + "; known are " + strings.Join(sections, ", ")
		case seen[f.Name]:
			return "section " + f.Name + " is there twice"
		}
		seen[f.Name] = true
	}
	if len(strings.TrimSpace(string(archive.Comment))) == 0 {
		return "the file does not say what it is about before its first section"
	}
	return ""
}
