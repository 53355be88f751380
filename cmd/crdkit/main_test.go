package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestCommand runs the command lines of testdata/*.txtar. The comment of a
// file says what it tests. Its sections are
//
//	args    the command line, split at spaces; '' is an empty argument
//	stdin   standard input, if any
//	exit    the wanted exit code
//	stdout  the wanted standard output, if any
//	stderr  the wanted standard error, if any
//
//	commit  commits the files before it to a git repository, with this text as tag
//
// All other sections are files in the working directory.
func TestCommand(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, path := range paths {
		full, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { runCase(t, full) })
	}
}

func runCase(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sections := map[string]string{}
	for _, f := range archive.Files {
		switch f.Name {
		case "args", "stdin", "exit", "stdout", "stderr":
			sections[f.Name] = string(f.Data)
			continue
		case "commit":
			testkit.Commit(t, dir, strings.TrimSpace(string(f.Data)))
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	var out, errOut bytes.Buffer
	code := run(context.Background(), arguments(sections["args"]), strings.NewReader(sections["stdin"]), &out, &errOut)
	got := map[string]string{"exit": strconv.Itoa(code) + "\n", "stdout": out.String(), "stderr": errOut.String()}
	if testkit.Update() {
		rewrite(t, path, archive, got)
		return
	}
	for _, name := range []string{"exit", "stdout", "stderr"} {
		if diff := cmp.Diff(sections[name], got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// arguments splits a command line.
func arguments(line string) []string {
	args := strings.Fields(line)
	for i, arg := range args {
		if arg == "''" {
			args[i] = ""
		}
	}
	return args
}

// rewrite replaces the sections of a file by the output of the command.
func rewrite(t *testing.T, path string, archive *txtar.Archive, got map[string]string) {
	var files []txtar.File
	for _, f := range archive.Files {
		if _, ok := got[f.Name]; !ok {
			files = append(files, f)
		}
	}
	for _, name := range []string{"exit", "stdout", "stderr"} {
		if got[name] != "" {
			files = append(files, txtar.File{Name: name, Data: []byte(got[name])})
		}
	}
	archive.Files = files
	if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestUnified(t *testing.T) {
	for _, tt := range []struct{ name, before, after, want string }{
		{name: "nothing", before: "a\nb\n", after: "a\nb\n"},
		{name: "added at the end", before: "a\n", after: "a\nb\n", want: "--- old\n+++ new\n@@ -1,1 +1,2 @@\n a\n+b\n"},
		{name: "removed", before: "a\nb\nc\n", after: "a\nc\n", want: "--- old\n+++ new\n@@ -1,3 +1,2 @@\n a\n-b\n c\n"},
		{name: "far apart", before: "1\na\nb\nc\nd\ne\nf\ng\nh\n2\n", after: "x\na\nb\nc\nd\ne\nf\ng\nh\ny\n",
			want: "--- old\n+++ new\n@@ -1,4 +1,4 @@\n-1\n+x\n a\n b\n c\n@@ -7,4 +7,4 @@\n f\n g\n h\n-2\n+y\n"},
		{name: "from nothing", after: "a\n", want: "--- old\n+++ new\n@@ -1,0 +1,1 @@\n+a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, unified("old", "new", tt.before, tt.after)); diff != "" {
				t.Errorf("unified (-want +got):\n%s", diff)
			}
		})
	}
}
