package coverage

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestCorpusObservers compiles the observers of the rules of Gateway API.
func TestCorpusObservers(t *testing.T) {
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Skip("there is no corpus")
	}
	files, err := filepath.Glob(filepath.Join(dir, "crds", "gateway-api", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	rules, terms, unread := 0, 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd, err := definition.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range crd.Spec.Versions {
			v := &crd.Spec.Versions[i]
			s, err := newRuleSet(v.Schema.OpenAPIV3Schema)
			if err != nil {
				t.Errorf("%s %s: %v", crd.Name, v.Name, err)
				continue
			}
			if s == nil {
				continue
			}
			for _, p := range s.points {
				if p.Kind == Rule {
					rules++
				} else {
					terms++
				}
			}
			unread += len(s.unread)
			for _, p := range s.unread {
				t.Logf("%s %s: %s", crd.Name, v.Name, p)
			}
		}
	}
	t.Logf("%d rules, %d terms, %d rules with terms that are not observed", rules, terms, unread)
}
