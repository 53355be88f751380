package manifest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// FuzzObjects reads any text as standard input, as a named file and as a file of a
// directory. Each object must lie in the text, in increasing order of documents, and
// what is not YAML must be JSON. What the directory does not yield must be counted.
func FuzzObjects(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add([]byte(unescape(string(file.Data))))
		}
	}
	f.Add([]byte("kind: List\nitems: [&a {kind: A, apiVersion: v1}, *a, {kind: List, items: [*a]}]\n"))
	dir := f.TempDir()
	name := filepath.Join(dir, "a.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		r := NewReader(bytes.NewReader(text), false)
		named := 0
		for _, from := range []string{"-", name} {
			number := 0
			for o := range r.Objects(t.Context(), from) {
				named++
				checkObject(t, o, text, number)
				number = o.Number
			}
		}
		found := NewReader(nil, false)
		yielded := 0
		for range found.Objects(t.Context(), dir) {
			yielded++
		}
		passed := found.PassedOver()
		if named > 0 && yielded+passed.Documents+passed.Files == 0 && !bytes.Contains(text, []byte("List")) {
			t.Errorf("%q in a directory is dropped silently", text)
		}
	})
}

func checkObject(t *testing.T, o *Object, text []byte, last int) {
	t.Helper()
	if o.Location() == "" || o.Number < last {
		t.Errorf("%q: document %d follows document %d", text, o.Number, last)
	}
	if lines := bytes.Count(text, []byte("\n")) + 1; o.Line > lines || o.Column > utf8.RuneCount(text)+1 {
		t.Errorf("%q: an object at %d:%d", text, o.Line, o.Column)
	}
	if o.Err == nil && (o.Kind == "" || o.Version == "") {
		t.Errorf("%q: an object of kind %v", text, o.GroupVersionKind)
	}
	if o.Err == nil && !o.YAML && !json.Valid(o.Text) {
		t.Errorf("%q: the text of an object is not JSON: %q", text, o.Text)
	}
}
