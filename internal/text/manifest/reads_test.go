package manifest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reads are the calls outside tests that open a file or read to the end, by file, each with
// the reason why it needs no bounded reader.
var reads = map[string]string{
	"controllertest/internal/apiserver/request.go io.ReadAll": "io.LimitReader limits it",
	"cmd/crdkit/jsonschema.go os.OpenRoot":                    "writes files, and reads none",
	"conversion/client.go io.Copy":                            "io.LimitReader limits it",
	"conversion/handler.go io.Copy":                           "http.MaxBytesReader limits it",
	"internal/text/manifest/files.go os.Open":                 "this is the bounded reader",
	"internal/coverage/recorder.go os.OpenFile":               "creates a file, and reads none",
}

// TestReads checks that all files are read by this package.
func TestReads(t *testing.T) {
	call := regexp.MustCompile(`\b(os\.(ReadFile|Open|OpenFile|DirFS|OpenRoot)|io\.(ReadAll|Copy)|ioutil\.\w+|fs\.ReadFile)\(`)
	root := filepath.Join("..", "..", "..")
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if e.IsDir() && (e.Name() == "testdata" || rel == "internal/oracle" || rel == "internal/test" || strings.HasPrefix(e.Name(), "_")) {
			return fs.SkipDir
		}
		if e.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			code, _, _ := strings.Cut(line, "//")
			for _, m := range call.FindAllStringSubmatch(code, -1) {
				found[rel+" "+m[1]] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range slices.Sorted(maps.Keys(found)) {
		if reads[read] == "" {
			t.Errorf("%s: use Reader or ReadRegular of this package, or give the reason here", read)
		}
	}
	for read := range reads {
		if !found[read] {
			t.Errorf("%s: there is no such call", read)
		}
	}
}
