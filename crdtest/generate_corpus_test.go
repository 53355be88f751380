//go:build generate

package crdtest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// objectsEach is how many objects are generated for each version of the corpus.
const objectsEach = 5

// TestCorpusGenerated generates objects for the storage version of each definition of
// the corpus, and one that breaks each rule. CRDKIT_GENERATE names projects or plural
// names; without it, all definitions are tested. The test takes long, and runs only with
// the build tag generate. It logs the table.
func TestCorpusGenerated(t *testing.T) {
	projects := os.Getenv("CRDKIT_GENERATE")
	corpus := testkit.FindCorpus(t)
	var sum generated
	per := map[string]*generated{}
	for _, d := range corpus.Definitions {
		project := strings.Split(d.Path, "/")[1]
		if projects != "" && !strings.Contains(projects, project) && !strings.Contains(projects, d.CRD.Spec.Names.Plural) {
			continue
		}
		if per[project] == nil {
			per[project] = &generated{}
		}
		def, err := crdkit.Compile(d.CRD)
		if err != nil {
			continue
		}
		var g generated
		g.add(t, d.Path, def.Storage())
		per[project].sum(&g)
		sum.sum(&g)
		t.Logf("so far %s after %s", &sum, d.Path)
	}
	for _, project := range slices.Sorted(maps.Keys(per)) {
		t.Logf("%-32s %s", project, per[project])
	}
	t.Logf("%-32s %s", "all", &sum)
}

// generated counts what was found.
type generated struct {
	versions, complete int // with all objects
	objects, admitted  int
	rules, broken      int
	took               time.Duration
	causes             [4]int
}

// causes begin the errors of rules for which nothing was found.
var causes = [4]string{"the rule is always true", "it breaks only with others", "no object that breaks it", "no admitted object has the value"}

func (g *generated) String() string {
	return fmt.Sprintf("%4d versions %5d of %5d objects %5d of %5d rules %8s causes %v",
		g.versions, g.admitted, g.objects, g.broken, g.rules, g.took.Round(time.Millisecond), g.causes)
}

func (g *generated) sum(other *generated) {
	g.versions, g.complete = g.versions+other.versions, g.complete+other.complete
	g.objects, g.admitted = g.objects+other.objects, g.admitted+other.admitted
	g.rules, g.broken, g.took = g.rules+other.rules, g.broken+other.broken, g.took+other.took
	for i, n := range other.causes {
		g.causes[i] += n
	}
}

func (g *generated) add(t *testing.T, path string, v *crdkit.Version) {
	t.Helper()
	start := time.Now()
	g.versions, g.objects = 1, objectsEach
	for obj, err := range crdtest.Objects(t.Context(), v, 1) {
		if err != nil {
			t.Logf("%s: %v", path, err)
			break
		}
		if result, err := v.Create(t.Context(), obj); err != nil || !result.Admitted() {
			t.Errorf("%s: a generated object is refused: %v", path, err)
		}
		if g.admitted++; g.admitted == objectsEach {
			break
		}
	}
	generator, err := crdtest.NewGenerator(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range crdtest.Targets(v) {
		if target.Keyword != "" {
			continue
		}
		g.rules++
		_, err := generator.Broken(t.Context(), target, 1)
		if err == nil {
			g.broken++
			continue
		}
		if _, ok := errors.AsType[*crdtest.UnreachableError](err); !ok {
			t.Errorf("%s: %v", path, err)
		}
		for i, cause := range causes {
			if strings.Contains(err.Error(), cause) {
				g.causes[i]++
			}
		}
		t.Logf("%s %s: %s: %v", path, target.SchemaPointer, strings.Join(strings.Fields(target.Expression), " "), err)
	}
	g.took = time.Since(start)
}
