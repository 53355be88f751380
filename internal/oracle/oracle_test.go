package oracle

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

var (
	corpusDir = flag.String("corpus", "", "directory of definitions and samples; else CRDKIT_CORPUS, else ../shared/corpus beside the module")
	objects   = flag.Int("objects", 200, "objects to generate for each version")
	only      = flag.String("only", "", "compare only the definitions whose path contains this")
)

// ownDefinitions returns the definitions of the repository's testdata.
func ownDefinitions(t *testing.T) []*testkit.Definition {
	t.Helper()
	root, err := testkit.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	c, err := testkit.LoadTestdata(filepath.Join(root, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Definitions) == 0 {
		t.Fatalf("no definitions in %s", c.Dir)
	}
	return c.Definitions
}

// definitions returns the definitions of the repository's testdata and of the
// corpus, and reports whether there is a corpus.
func definitions(t *testing.T) ([]*testkit.Definition, bool) {
	t.Helper()
	own := ownDefinitions(t)
	if *corpusDir != "" {
		t.Setenv("CRDKIT_CORPUS", *corpusDir)
	}
	dir, ok := testkit.CorpusDir()
	if !ok {
		t.Logf("no corpus in %q: comparing the repository's testdata only", dir)
		return own, false
	}
	c, err := testkit.LoadCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	return append(own, c.Definitions...), true
}

// TestOracle compares crdkit with upstream.
func TestOracle(t *testing.T) {
	list, full := definitions(t)
	list = matching(list, *only)
	n := *objects
	if testing.Short() {
		n = min(n, 4)
	}
	tally := Run(list, Config{Objects: n, Known: Differences, Ours: Crdkit})
	if text := tally.Unknown(); text != "" {
		t.Errorf("differences that are not in the list:\n%s", text)
	}
	if full && *only == "" && !testing.Short() {
		for _, name := range tally.Stale() {
			t.Errorf("the known difference %s did not occur", name)
		}
	}
	fmt.Println(tally)
}

func matching(list []*testkit.Definition, part string) []*testkit.Definition {
	return slices.DeleteFunc(list, func(d *testkit.Definition) bool { return !strings.Contains(d.Path, part) })
}

// TestMirror compares upstream with itself. Random results must cause no difference.
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
func sampleOf(list []*testkit.Definition, n int) []*testkit.Definition {
	var out []*testkit.Definition
	for i := 0; i < len(list); i += max(1, len(list)/n) {
		out = append(out, list[i])
	}
	return out
}

// TestPlantedDifferences checks that the comparison finds each kind of
// difference. It compares one definition after the other, those with the shortest text
// first, until the difference is found.
func TestPlantedDifferences(t *testing.T) {
	list := ownDefinitions(t)
	slices.SortStableFunc(list, func(a, b *testkit.Definition) int { return a.CRD.Size() - b.CRD.Size() })
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			config := Config{Objects: 2, Ours: func(crd *apiextensionsv1.CustomResourceDefinition) (map[string]*Ours, error) {
				ours, err := mirror(crd)
				for _, o := range ours {
					p.plant(o)
				}
				return ours, err
			}}
			for _, d := range list {
				if Run([]*testkit.Definition{d}, config).Unknown() != "" {
					return
				}
			}
			t.Errorf("the comparison of %d definitions did not find it", len(list))
		})
	}
}

// TestPipeline compares requests that no fast path handles with upstream.
func TestPipeline(t *testing.T) {
	list, full := definitions(t)
	if full {
		list = sampleOf(list, 40)
	}
	tally := Run(list, Config{Objects: 8, Known: Differences, Ours: CrdkitPipeline})
	if text := tally.Unknown(); text != "" {
		t.Errorf("differences that are not in the list:\n%s", text)
	}
	t.Log(tally)
}

// TestDifferencesAreDocumented checks that the rows oracle/... of docs/DIFFERENCES.md are
// those of Differences.
func TestDifferencesAreDocumented(t *testing.T) {
	root, err := testkit.ModuleRoot()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "DIFFERENCES.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, d := range Differences {
		named[d.Name] = true
		if d.Upstream == "" || d.Ours == "" || d.Why == "" || d.Match == nil {
			t.Errorf("%s: an entry says what upstream does, what ours does and why", d.Name)
		}
		if !strings.Contains(string(doc), "| `oracle/"+d.Name+"` |") {
			t.Errorf("docs/DIFFERENCES.md has no row `oracle/%s`", d.Name)
		}
	}
	for _, match := range regexp.MustCompile("\\| `oracle/([^`]+)`").FindAllStringSubmatch(string(doc), -1) {
		if !named[match[1]] {
			t.Errorf("docs/DIFFERENCES.md has a row `oracle/%s` that Differences has not", match[1])
		}
	}
}

// TestTally checks that an unlisted difference fails a run, and an entry that covers no
// difference.
func TestTally(t *testing.T) {
	covers := func(op string) Known {
		return Known{Name: op, Match: func(d Difference) bool { return d.Op == op }}
	}
	tally := newTally([]Known{covers("a"), covers("b")})
	tally.add(Difference{Op: "a", What: "errors"})
	if tally.Unknown() != "" || !slices.Equal(tally.Stale(), []string{"b"}) {
		t.Errorf("after a known difference: unknown %q, stale %q", tally.Unknown(), tally.Stale())
	}
	tally.add(Difference{Op: "c", What: "errors"})
	if !strings.Contains(tally.Unknown(), "1 c errors") {
		t.Errorf("after an unknown difference: %q", tally.Unknown())
	}
	const want = "oracle: 0 definitions, 0 versions, 0 objects, 1 differences (1 known)"
	if got := tally.String(); got != want {
		t.Errorf("String: %q, want %q", got, want)
	}
}
