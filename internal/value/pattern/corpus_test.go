package pattern

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// corpusPatterns returns the distinct values of the keyword pattern in the
// published CRDs of the corpus, sorted. It skips the test if there is no corpus.
func corpusPatterns(t testing.TB) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("reading the corpus takes seconds")
	}
	root := os.Getenv("CRDKIT_CORPUS")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(root); err != nil {
		t.Skipf("no corpus of CRDs (set CRDKIT_CORPUS): %v", err)
	}
	found := make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("CustomResourceDefinition")) {
			return err
		}
		if !bytes.Contains(data, []byte("pattern")) {
			return nil
		}
		for _, doc := range bytes.Split(data, []byte("\n---\n")) {
			var v any
			if err := yaml.Unmarshal(doc, &v); err != nil {
				return err
			}
			collect(v, found)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("reading the corpus: %v", err)
	}
	return slices.Sorted(maps.Keys(found))
}

func collect(v any, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if s, ok := v["pattern"].(string); ok {
			found[s] = true
		}
		for _, child := range v {
			collect(child, found)
		}
	case []any:
		for _, child := range v {
			collect(child, found)
		}
	}
}

// perPattern has a small default for everyday use. The full comparison is
//
//	go test ./internal/value/pattern -run TestCorpus -strings 20000
var perPattern = flag.Int("strings", 200, "strings that TestCorpus grows from each pattern of the corpus")

func TestCorpus(t *testing.T) {
	patterns := corpusPatterns(t)
	if len(patterns) < 50 {
		t.Fatalf("the corpus has %d distinct patterns, want at least 50", len(patterns))
	}
	var slow, largest, states, total int
	for _, expr := range patterns {
		if _, err := regexp.Compile(expr); err != nil {
			t.Errorf("pattern %q of a published CRD: %v", expr, err)
			continue
		}
		p, err := Compile(expr)
		if err != nil {
			t.Errorf("Compile(%q): %v", expr, err)
			continue
		}
		if a := p.matcher().auto; a != nil {
			states = max(states, len(a.next))
			largest, total = max(largest, a.size()), total+a.size()
		} else {
			slow++
			t.Logf("matched by package regexp: %.100q", expr)
		}
		checkAgainstRegexp(t, expr, append(grown(t, expr, *perPattern), commonInputs...))
	}
	t.Logf("%d patterns, %d not fast, largest %d bytes, all %d bytes, most table entries %d", len(patterns), slow, largest, total, states)
	if slow*50 > len(patterns) {
		t.Errorf("%d of %d patterns are not fast, want at most one in fifty", slow, len(patterns))
	}
}

// BenchmarkCompileCorpus compiles every pattern of the corpus once.
func BenchmarkCompileCorpus(b *testing.B) {
	patterns := corpusPatterns(b)
	b.Run("way=automaton", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, expr := range patterns {
				if _, err := Compile(expr); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("way=regexp", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, expr := range patterns {
				if _, err := regexp.Compile(expr); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
