package apicheck

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// quotedPath matches a package or a file that ARCHITECTURE.md names.
var quotedPath = regexp.MustCompile("`([a-z0-9_]+(?:/[a-zA-Z0-9_.]+)*)`")

// TestArchitecture checks that docs/internal/ARCHITECTURE.md has a line for every package of
// the module, and that every path which it names exists.
func TestArchitecture(t *testing.T) {
	testkit.DependOnSources(t)
	text, err := os.ReadFile("../../../docs/internal/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range quotedPath.FindAllStringSubmatch(string(text), -1) {
		named[m[1]] = true
		if _, err := os.Stat(filepath.Join("../../..", m[1])); err != nil && strings.Contains(m[1], "/") {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", m[1])
		}
	}
	for _, pattern := range []string{"*", "*/*"} {
		dirs, err := filepath.Glob("../../../" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range dirs {
			name := filepath.ToSlash(strings.TrimPrefix(dir, "../../../"))
			if strings.HasPrefix(name, "_") {
				continue // not a package: the go command ignores it
			}
			if files, _ := filepath.Glob(dir + "/*.go"); len(files) > 0 && !named[name] {
				t.Errorf("ARCHITECTURE.md does not name package %s", name)
			}
		}
	}
}
