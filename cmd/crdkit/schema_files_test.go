package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// runIn runs a command line in the working directory.
func runIn(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// filesBelow returns the files below the working directory with their texts.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSchemaFiles checks that each file has the text that is printed for its version, that
// a second run replaces old texts, and that other files stay.
func TestSchemaFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.ReplaceAll(widgets, "ENUM", "a")
	writeFile(t, ".", "a.yaml", text)
	writeFile(t, ".", "b.yaml", strings.NewReplacer("example.com", "example.org", "kind: Widget", "kind: GadGet").Replace(text))
	if err := os.MkdirAll("out/example.com", 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "out/example.com", "widget_v1.json", "old")
	writeFile(t, "out/example.com", "other_v1.json", "kept")
	if code, _, errOut := runIn(t, "jsonschema", "-c", "a.yaml", "-c", "b.yaml", "-o", "out", "--strict"); code != exitOK || errOut != "" {
		t.Fatalf("exit code %d, %s", code, errOut)
	}
	_, first, _ := runIn(t, "jsonschema", "-c", "a.yaml", "--strict")
	_, second, _ := runIn(t, "jsonschema", "-c", "b.yaml", "--strict")
	want := map[string]string{"out/example.com/widget_v1.json": first, "out/example.com/other_v1.json": "kept", "out/example.org/gadget_v1.json": second}
	if diff := cmp.Diff(want, filesBelow(t, "out")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestSchemaFileFails checks that a file that cannot be replaced leaves no other file
// behind, and that a group cannot lead out of the directory.
func TestSchemaFileFails(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, ".", "a.yaml", strings.ReplaceAll(widgets, "ENUM", "a"))
	if err := os.MkdirAll("out/example.com/widget_v1.json/full", 0o777); err != nil {
		t.Fatal(err)
	}
	if code, out, errOut := runIn(t, "jsonschema", "-c", "a.yaml", "-o", "out"); code != exitUndecided || out != "" || !strings.HasPrefix(errOut, "error: a.yaml, document 1: ") {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, out, errOut)
	}
	if diff := cmp.Diff(map[string]string{}, filesBelow(t, "out")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	if err := os.MkdirAll("elsewhere", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("linked", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "elsewhere"), filepath.Join("linked", "example.com")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	if code, _, errOut := runIn(t, "jsonschema", "-c", "a.yaml", "-o", "linked"); code != exitUndecided || errOut == "" {
		t.Errorf("through a link out of the directory: exit code %d, standard error %q", code, errOut)
	}
	if diff := cmp.Diff(map[string]string{}, filesBelow(t, "elsewhere")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}
