package manifest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var update = flag.Bool("update", false, "rewrite the wanted output in testdata")

// TestObjects reads the files of testdata/*.txtar. The section names has the
// names that the caller gives, and -R for Recursive. The section want has a line for
// each object with its location and position, and what was passed over. In the
// names of files and in their text, \r, \u0085 and \u2028 stand for these characters, and
// "-> target" as text makes a symbolic link.
func TestObjects(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, path := range paths {
		full, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { readCase(t, full) })
	}
}

func readCase(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	sections := map[string]string{}
	for _, f := range archive.Files {
		switch f.Name {
		case "names", "stdin", "want":
			sections[f.Name] = string(f.Data)
		default:
			write(t, unescape(f.Name), unescape(string(f.Data)))
		}
	}
	names := strings.Fields(sections["names"])
	recursive := len(names) > 0 && names[0] == "-R"
	if recursive {
		names = names[1:]
	}
	r := NewReader(strings.NewReader(sections["stdin"]), recursive)
	r.IsKind = func(gvk schema.GroupVersionKind) bool { return gvk.Kind == "AllowList" }
	var got strings.Builder
	for o := range r.Objects(t.Context(), names...) {
		got.WriteString(describe(o) + "\n")
	}
	if passed := r.PassedOver().String(); passed != "" {
		fmt.Fprintf(&got, "passed over: %s\n", passed)
	}
	if *update {
		archive.Files = append(archive.Files[:len(archive.Files)-1], txtar.File{Name: "want", Data: []byte(got.String())})
		if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(sections["want"], got.String()); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

func unescape(text string) string {
	return strings.NewReplacer(`\r`, "\r", `\u0085`, "\u0085", `\u2028`, "\u2028", `\n`, "\n", `\x1b`, "\x1b").Replace(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	var err error
	if target, ok := strings.CutPrefix(text, "-> "); ok {
		err = os.Symlink(strings.TrimSpace(target), name)
	} else {
		err = os.WriteFile(name, []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func describe(o *Object) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %d:%d: ", o.Location(), o.Line, o.Column)
	if o.Err != nil {
		fmt.Fprintf(&b, "error: %s", strings.ReplaceAll(o.Err.Error(), "\n", " "))
		return b.String()
	}
	fmt.Fprintf(&b, "%s %q", o.GroupVersionKind, o.Namespace+"/"+o.Name)
	if !o.Defines.Empty() {
		fmt.Fprintf(&b, " defines %s", o.Defines)
	}
	if o.YAML {
		b.WriteString(" YAML")
	} else {
		fmt.Fprintf(&b, " %s", strings.TrimSpace(string(o.Text)))
	}
	return b.String()
}

// TestStreams checks that the end of the context ends the wait for standard
// input, and that what was read once is there for another reader.
func TestStreams(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	for o := range NewReader(in, false).Objects(ctx, "-") {
		t.Errorf("an object without input: %s", describe(o))
	}
	r := NewReader(strings.NewReader("apiVersion: v1\nkind: A\n"), false)
	for range 2 {
		var got []string
		for o := range r.Separate().Objects(t.Context(), "-") {
			got = append(got, describe(o))
		}
		if diff := cmp.Diff([]string{`-, document 1 at 1:1: /v1, Kind=A "/" YAML`}, got); diff != "" {
			t.Errorf("objects of standard input (-want +got):\n%s", diff)
		}
	}
}

// TestManyObjects reads in linear time what lies on one line.
func TestManyObjects(t *testing.T) {
	const n = 50_000
	r := NewReader(strings.NewReader(strings.Repeat(`{"apiVersion":"v1","kind":"A"} `, n)), false)
	count := 0
	for o := range r.Objects(t.Context(), "-") {
		if count++; count == n && o.Column != 31*(n-1)+1 {
			t.Errorf("the last object is at %d:%d", o.Line, o.Column)
		}
	}
	if count != n {
		t.Errorf("read %d objects, want %d", count, n)
	}
}

// TestFS reads a file system that is not that of the operating system.
func TestFS(t *testing.T) {
	files := fstest.MapFS{
		"crds/b.yaml":      {Data: []byte("apiVersion: v1\nkind: B\n")},
		"crds/a.json":      {Data: []byte(`{"apiVersion":"v1","kind":"A"}`)},
		"crds/note.txt":    {Data: []byte("text")},
		"crds/deep/c.yaml": {Data: []byte("apiVersion: v1\nkind: C\n")},
		"-":                {Data: []byte("apiVersion: v1\nkind: D\n")},
	}
	for _, tt := range []struct {
		name, want string
		recursive  bool
	}{
		{"crds", "crds/a.json A, crds/b.yaml B", false},
		{"crds", "crds/a.json A, crds/b.yaml B, crds/deep/c.yaml C", true},
		{"crds/b.yaml", "crds/b.yaml B", false},
		{"-", "- D", false},
		{"none", "none file does not exist", false},
	} {
		r := NewReader(nil, tt.recursive)
		r.FS = files
		var got []string
		for o := range r.Objects(t.Context(), tt.name) {
			what := o.Kind
			if o.Err != nil {
				what = o.Err.Error()
			}
			got = append(got, o.File+" "+what)
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}
