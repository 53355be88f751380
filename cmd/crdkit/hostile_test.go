package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestControlCharacters checks that no finding has characters that a terminal obeys, in
// the name of a file, of an object or a field, in a value or in an error of a library.
func TestControlCharacters(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	objects := widget + "list: [\"\\e[31mred\", \"\\u009b31m\", \"a\\u202eb\"]\n\"\\e]0;title\\a\": 1\n" +
		"---\napiVersion: example.com/v1\nkind: \"Wid\\eget\"\n---\napiVersion: \"a/\\e/c\"\nkind: Widget\n"
	hostile := "a\n\x1b[2Jrefused: b.yaml"
	if err := os.MkdirAll(hostile, 0o777); err != nil {
		t.Skipf("the file system refuses the name: %v", err)
	}
	writeFile(t, dir, filepath.Join(hostile, "x\r.yaml"), strings.ReplaceAll(widgets, "ENUM", "a")+objects)
	for _, args := range []string{"admit -R .", "admit --explain -R .", "admit --explain -R -o github .", "admit --explain -R -o junit .", "admit -R -o github .", "admit -R -o yaml .", "admit -R -o jsonl .", "admit -R -o sarif .", "admit -R -o junit .", "check -R .", "get -R .", "convert -c . --to v1 -R ."} {
		var out, errOut bytes.Buffer
		run(t.Context(), strings.Fields(args), nil, &out, &errOut)
		for _, text := range []string{out.String(), errOut.String()} {
			if at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }); at >= 0 {
				t.Errorf("crdkit %s prints a control character: %q", args, text[max(at-80, 0):min(at+80, len(text))])
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "refused: b.yaml") {
					t.Errorf("crdkit %s prints a line of the name of a file: %q", args, line)
				}
			}
		}
	}
}

// TestUnreadable checks that the files that can be read are judged.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeFile(t, dir, "b.yaml", strings.ReplaceAll(widgets, "ENUM", "a")+widget)
	if err := os.Symlink("nowhere", "a.yaml"); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	if err := os.Symlink("c.yaml", "c.yaml"); err != nil {
		t.Fatal(err)
	}
	want := `undecided: a.yaml
  a.yaml: error: no such file or directory
admitted: b.yaml, document 2: Widget w
undecided: c.yaml
  c.yaml: error: too many levels of symbolic links
1 admitted, 0 refused, 2 undecided
`
	if os.Getuid() != 0 {
		writeFile(t, dir, "d.yaml", widget)
		if err := os.Chmod("d.yaml", 0); err != nil {
			t.Fatal(err)
		}
		want = strings.Replace(want, "1 admitted, 0 refused, 2 undecided", "undecided: d.yaml\n  d.yaml: error: permission denied\n1 admitted, 0 refused, 3 undecided", 1)
	}
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"admit", "."}, nil, &out, &errOut); code != exitUndecided || out.String() != want {
		t.Errorf("exit code %d, standard output\n%s\nwant code %d and\n%s", code, out.String(), exitUndecided, want)
	}
}
