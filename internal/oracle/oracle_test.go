package oracle

import (
	"flag"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdtest"
)

var (
	corpusDir = flag.String("corpus", "", "directory of definitions and samples; else CRDKIT_CORPUS, else ../shared/corpus beside the module")
	objects   = flag.Int("objects", 200, "objects to generate for each version")
	only      = flag.String("only", "", "compare only the definitions whose path contains this")
)

// definitions returns those of the repository's testdata and of the corpus, and
// reports whether the corpus is there.
func definitions(t *testing.T) ([]*crdtest.Definition, bool) {
	t.Helper()
	root, err := crdtest.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	own, err := crdtest.LoadTestdata(filepath.Join(root, "testdata"))
	if err != nil {
		t.Logf("no testdata: %v", err)
		own = &crdtest.Corpus{}
	}
	if *corpusDir != "" {
		t.Setenv("CRDKIT_CORPUS", *corpusDir)
	}
	dir, ok := crdtest.CorpusDir()
	if !ok {
		t.Logf("no corpus in %q: comparing the repository's testdata only", dir)
		return own.Definitions, false
	}
	c, err := crdtest.LoadCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	return append(own.Definitions, c.Definitions...), true
}

// TestMirror compares upstream with itself, which must not differ in spite of
// chance.
func TestMirror(t *testing.T) {
	list, full := definitions(t)
	if full {
		list = sampleOf(list, 12)
	}
	tally := Run(list, Config{Objects: 12, Ours: mirror})
	if text := tally.Unknown(); text != "" {
		t.Errorf("upstream differs from itself:\n%s", text)
	}
	t.Log(tally)
}

// sampleOf returns every list/n-th definition.
func sampleOf(list []*crdtest.Definition, n int) []*crdtest.Definition {
	var out []*crdtest.Definition
	for i := 0; i < len(list); i += max(1, len(list)/n) {
		out = append(out, list[i])
	}
	return out
}

// TestPlantedDifferences shows that the comparison finds each kind of fault.
func TestPlantedDifferences(t *testing.T) {
	list, full := definitions(t)
	if full {
		list = withRules(list)
	}
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			tally := Run(list, Config{Objects: 8, Ours: func(crd *apiextensionsv1.CustomResourceDefinition) (map[string]*Ours, error) {
				ours, err := mirror(crd)
				for _, o := range ours {
					p.plant(o)
				}
				return ours, err
			}})
			if tally.Unknown() == "" {
				t.Errorf("the comparison did not find it: %v", tally)
			}
		})
	}
}

// withRules returns a few definitions that have rules, defaults and status.
func withRules(list []*crdtest.Definition) []*crdtest.Definition {
	var out []*crdtest.Definition
	for _, d := range list {
		switch d.CRD.Name {
		case "httproutes.gateway.networking.k8s.io", "certificates.cert-manager.io":
			out = append(out, d)
		}
	}
	return out
}
