package gittree_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/gittree"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// repository makes a repository whose revision v1 has files that a later commit, or the
// working tree, changes.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "crds/a.yaml", "a: 1\r\n")
	write(t, dir, "crds/deep/b.yaml", "b: 1\n")
	write(t, dir, "crds/notes.txt", "none\n")
	write(t, dir, "crds/[x]*.yaml", "x: 1\n")
	write(t, dir, ".gitattributes", "*.yaml text eol=lf export-ignore\n")
	if err := os.Symlink("a.yaml", filepath.Join(dir, "crds", "link.yaml")); err != nil {
		t.Fatal(err)
	}
	testkit.Commit(t, dir, "v1")
	write(t, dir, "crds/a.yaml", "a: 2\n")
	testkit.Commit(t, dir, "v2")
	write(t, dir, "crds/a.yaml", "a: 3\n")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func yamlFile(base string) bool { return strings.HasSuffix(base, ".yaml") }

// contents returns the files of a file system below root.
func contents(t *testing.T, tree fs.FS, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(tree, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRead(t *testing.T) {
	dir := repository(t)
	for _, c := range []struct {
		name, dir, revision, path string
		want                      map[string]string
	}{
		{"a revision", ".", "v2", "crds", map[string]string{"crds/a.yaml": "a: 2\n", "crds/deep/b.yaml": "b: 1\n", "crds/[x]*.yaml": "x: 1\n"}},
		{"without a path", "crds", "v2~1", "", map[string]string{"crds/a.yaml": "a: 1\n", "crds/deep/b.yaml": "b: 1\n", "crds/[x]*.yaml": "x: 1\n"}},
		{"a file that is not wanted", ".", "v1", "crds/notes.txt", map[string]string{"crds/notes.txt": "none\n"}},
		{"relative to the directory", "crds", "HEAD", "./deep", map[string]string{"crds/deep/b.yaml": "b: 1\n"}},
		{"the directory itself", "crds/deep", "HEAD", ".", map[string]string{"crds/deep/b.yaml": "b: 1\n"}},
		{"the directory above", "crds/deep", "v2", "..", map[string]string{"crds/a.yaml": "a: 2\n", "crds/deep/b.yaml": "b: 1\n", "crds/[x]*.yaml": "x: 1\n"}},
		{"a name with the characters of patterns", ".", "HEAD", "crds/[x]*.yaml", map[string]string{"crds/[x]*.yaml": "x: 1\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, root, err := gittree.Read(context.Background(), filepath.Join(dir, c.dir), c.revision, c.path, yamlFile)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, contents(t, tree, root)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	dir := repository(t)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name, dir, revision, path, want string
		ctx                             context.Context
	}{
		{"no repository", t.TempDir(), "v1", "", "not a git repository", nil},
		{"unknown revision", dir, "v9", "", `unknown revision "v9"`, nil},
		{"an option", dir, "--all", "", `unknown revision "--all"`, nil},
		{"no such path", dir, "v1", "nowhere", `v1 has no file at "nowhere"`, nil},
		{"no such path from the root", filepath.Join(dir, "crds"), "v1", "a.yaml", `v1 has no file at "a.yaml" from the root of the repository; write ./a.yaml for the path in the working directory`, nil},
		{"no such path in the working directory", filepath.Join(dir, "crds"), "v1", "./nowhere", `v1 has no file at "crds/nowhere"`, nil},
		{"outside", dir, "v1", "../x", `"../x" is not a path in the repository`, nil},
		{"ended", dir, "v1", "", "context canceled", ended},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := c.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			_, _, err := gittree.Read(ctx, c.dir, c.revision, c.path, yamlFile)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v, want one with %s", err, c.want)
			}
			if c.ctx != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, which does not wrap that of the context", err)
			}
		})
	}
}

func TestPathOf(t *testing.T) {
	dir := repository(t)
	for name, want := range map[string]string{"crds": "crds", "crds/deep/b.yaml": "crds/deep/b.yaml", ".": ".", "crds/a.yaml": "crds/a.yaml"} {
		got, err := gittree.PathOf(context.Background(), filepath.Join(dir, name))
		if err != nil || got != want {
			t.Errorf("PathOf(%s) = %s, %v; want %s", name, got, err, want)
		}
	}
	if _, err := gittree.PathOf(context.Background(), filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error = %v", err)
	}
}
