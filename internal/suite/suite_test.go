package suite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/crdkit/crdkit/internal/coverage"
	"github.com/crdkit/crdkit/internal/suite"
)

// files returns the files of an archive, without the section want.
func files(t *testing.T, name string) (tree fstest.MapFS, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tree = fstest.MapFS{}
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		tree[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return tree, want
}

// TestCases compares the first line of each result.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files, %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			tree, want := files(t, name)
			s, err := suite.Read(t.Context(), tree, nil, ".")
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, c := range s.Cases {
				problem, err := c.Run(t.Context())
				switch {
				case err != nil:
					problem = "error: " + err.Error()
				case problem == "":
					problem = "as recorded"
				}
				problem, _, _ = strings.Cut(problem, "\n")
				got[c.String()] = problem
			}
			wanted := map[string]string{}
			for line := range strings.Lines(want) {
				file, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
				label, result, _ := strings.Cut(rest, ": ")
				wanted[file+": "+label] = result
			}
			if diff := cmp.Diff(wanted, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFilesOfTheSystem reads the same files from a directory.
func TestFilesOfTheSystem(t *testing.T) {
	tree, _ := files(t, "testdata/folders.txtar")
	dir := t.TempDir()
	if err := os.CopyFS(dir, tree); err != nil {
		t.Fatal(err)
	}
	s, err := suite.Read(t.Context(), nil, nil, dir)
	if err != nil || len(s.Cases) != 15 {
		t.Fatalf("%v, %v", s, err)
	}
	if problem, err := s.Cases[0].Run(t.Context()); problem != "" || err != nil {
		t.Errorf("%s: %s, %v", s.Cases[0], problem, err)
	}
}

// TestLines finds the lines of cases: of a list of a suite, of an object of a file, and of
// what is wrong with a suite.
func TestLines(t *testing.T) {
	for name, want := range map[string]map[string]int{
		"testdata/keys.txtar": {
			"keys.yaml: admits": 7, "keys.yaml: refuses": 10, "keys.yaml: updates": 17, "keys.yaml: converts": 26,
			"keys.yaml: second document": 40, `keys.yaml: unknown key "feature"`: 4, "repeated.yaml: repeated keys": 6,
		},
		"testdata/folders.txtar": {"bolts/valid/a.yaml: 0 a": 1, "bolts/valid/a.yaml: 1 b": 3, "pairs/good.yaml: good": 0},
	} {
		tree, _ := files(t, name)
		s, err := suite.Read(t.Context(), tree, nil, ".")
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, c := range s.Cases {
			if _, ok := want[c.String()]; ok {
				got[c.String()] = c.Line
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
	}
}

// TestDefinitionsFromElsewhere gives the definition separately, and records coverage.
func TestDefinitionsFromElsewhere(t *testing.T) {
	tree, _ := files(t, "testdata/folders.txtar")
	whole, err := suite.Read(t.Context(), tree, nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	delete(tree, "bolt.yaml")
	s, err := suite.Read(t.Context(), tree, whole.Definitions(), "bolts/invalid")
	if err != nil {
		t.Fatal(err)
	}
	recorder := coverage.NewRecorder()
	s.Cover(recorder)
	if problem, err := s.Cases[0].Run(t.Context()); problem != "" || err != nil {
		t.Errorf("%s, %v", problem, err)
	}
	if n := len(recorder.Profile().Definitions); n != 1 {
		t.Errorf("coverage of %d definitions", n)
	}
}

func TestErrors(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name, file, text, want string
		ctx                    context.Context
	}{
		{"no case", "a.yaml", "a: b", "no recorded case", t.Context()},
		{"a suite that is no YAML", "a.yaml", "crdName: a\ntests: [\n", "a.yaml: ", t.Context()},
		{"an object that is no YAML", "valid/a.yaml", "apiVersion: v1\nkind: [", "valid/a.yaml: ", t.Context()},
		{"an update without a first object", "a.post.yaml", "apiVersion: v1\nkind: A", "a.pre.yaml", t.Context()},
		{"a suite without the name of a definition", "a.yaml", "tests:\n  onCreate: []", "a.yaml: the suite has no crdName", t.Context()},
		{"a text of a refusal that is none", "invalid/a.yaml", "apiVersion: v1\nkind: A\n_err: 5", "invalid/a.yaml: line 1: _err is not a string", t.Context()},
		{"two objects with one text", "a.post.yaml", "{apiVersion: v1, kind: A}\n---\n{apiVersion: v1, kind: A}", "a.post.yaml: 2 objects", t.Context()},
		{"an ended context", "valid/a.yaml", "apiVersion: v1\nkind: A", context.Canceled.Error(), ended},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := suite.Read(tt.ctx, fstest.MapFS{tt.file: {Data: []byte(tt.text)}}, nil, ".")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := suite.Read(t.Context(), fstest.MapFS{}, nil, "."); !errors.Is(err, suite.ErrNoCase) {
		t.Error(err)
	}
	if _, err := suite.Read(t.Context(), nil, nil, filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
