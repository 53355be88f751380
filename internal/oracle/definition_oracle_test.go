package oracle

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
)

var mutants = flag.Int("mutants", 20_000, "definitions to break and compare")

// A definitionTally collects the differences.
type definitionTally struct {
	mu       sync.Mutex
	compared int
	panics   int // of upstream, where we have errors
	refused  int
	warned   int
	fields   map[string]int // number of changes of each field
	found    int
	shown    []string
}

func (l *definitionTally) differ(what, diff string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found++
	if len(l.shown) < 12 {
		l.shown = append(l.shown, what+"\n"+diff)
	}
}

// patience returns the number of times that upstream runs before its answer counts as
// different. Many differences reduce it, to save time.
func (l *definitionTally) patience() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found > 3 {
		return Reruns / 10
	}
	return Reruns
}

// compare runs both sides. If the answers differ, upstream runs again, because
// some of its answers are random.
func (l *definitionTally) compare(what string, theirs func() reply, ours func() reply) {
	mine := ours()
	var first reply
	var equal upstream.Ties
	runs := l.patience()
	for i := range runs {
		a := theirs()
		if i == 0 {
			first = a
		}
		if a.panicked != "" {
			l.mu.Lock()
			l.panics++
			l.mu.Unlock()
			if !knownPanic(a.panicked) || len(mine.errors) == 0 {
				l.differ(what, "upstream panics: "+a.panicked)
			}
			break
		}
		if a.equal(mine) || slices.Equal(a.warnings, mine.warnings) && equal.Possible(a.errors, mine.errors) {
			break
		}
		if i == runs-1 {
			l.differ(what, first.diff(mine))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.compared++
	if len(mine.errors) > 0 {
		l.refused++
	}
	if len(mine.warnings) > 0 {
		l.warned++
	}
}

func (l *definitionTally) create(t *testing.T, s *definitionServer, what string, crd *apiextensionsv1.CustomResourceDefinition) {
	l.compare(what, func() reply { return s.create(t, crd) }, func() reply {
		r := definition.Check(crd)
		if r.Accepted() && len(crd.Name)%4 == 0 { // takes as long as everything else
			if _, err := crdkit.Compile(crd); err != nil {
				l.differ(what, "Check accepts what Compile does not: "+err.Error())
			}
		}
		return newVerdict(r.Errors, warningTexts(r))
	})
}

func warningTexts(r *definition.Report) []string {
	var texts []string
	for _, w := range r.Warnings {
		texts = append(texts, w.Text)
	}
	return texts
}

func (l *definitionTally) update(t *testing.T, s *definitionServer, what string, crd, old *apiextensionsv1.CustomResourceDefinition) {
	l.compare(what, func() reply { return s.update(t, crd, old) }, func() reply {
		r := definition.CheckUpdate(crd, old)
		return newVerdict(r.Errors, warningTexts(r))
	})
}

// bases returns the small definitions in testdata beside this file, which together use
// every field.
func bases(t *testing.T) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "definitions", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions to break: %v", err)
	}
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd, err := definition.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, crd)
	}
	return out
}

func seeded(parts ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, parts...)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// TestDefinitions compares Check and CheckUpdate with upstream's answers for the same
// definitions, whole and broken.
func TestDefinitions(t *testing.T) {
	list, _ := definitions(t)
	list = matching(list, *only)
	server := newDefinitionServer()
	tally := &definitionTally{fields: map[string]int{}}

	if testing.Short() {
		list = list[:min(len(list), 40)]
	}
	inParallel(len(list), func(i int) { tally.create(t, server, list[i].Path, list[i].CRD) })
	n := *mutants
	if testing.Short() {
		n = min(n, 500)
	}
	small := bases(t)
	sources := slices.Clone(small)
	for _, d := range list {
		if data := d.CRD.Size(); data < 12_000 {
			sources = append(sources, d.CRD)
		}
	}
	compareMutants(t, server, tally, small, sources, n)

	all := definitionFields()
	var missed []string
	for _, f := range all {
		if tally.fields[f.String()] == 0 {
			missed = append(missed, f.String())
		}
	}
	if len(missed) > 0 && n >= 50*len(all) {
		t.Errorf("fields that were never changed: %s", strings.Join(missed, ", "))
	}
	for _, text := range tally.shown {
		t.Errorf("%s", text)
	}
	fmt.Printf("oracle: definitions %d, mutants %d, %d differences (%d of %d fields changed, %d refused, %d with warnings, %d panics of upstream)\n",
		len(list), n, tally.found, len(all)-len(missed), len(all), tally.refused, tally.warned, tally.panics)
}

func compareMutants(t *testing.T, server *definitionServer, tally *definitionTally, small, sources []*apiextensionsv1.CustomResourceDefinition, n int) {
	fields := definitionFields()
	inParallel(n, func(i int) { compareMutant(t, server, tally, small, sources, fields, i) })
}

// inParallel calls do with all numbers below n.
func inParallel(n int, do func(int)) {
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}

// compareMutant makes and compares one mutant. Every other one is an update: from a whole
// definition to a mutant, from a mutant to a whole definition, or from one mutant to
// another.
func compareMutant(t *testing.T, server *definitionServer, tally *definitionTally, small, sources []*apiextensionsv1.CustomResourceDefinition, fields []typeField, i int) {
	rng := seeded("definition", i)
	base := small[i/len(fields)%len(small)]
	if rng.IntN(3) == 0 {
		base = sources[rng.IntN(len(sources))]
	}
	m := &definitionMutator{t: t, rng: rng, donor: reflect.ValueOf(small[rng.IntN(len(small))]).Elem()}
	broken := m.mutant(tally, base, fields, i)
	if broken == nil {
		return
	}
	what := fmt.Sprintf("mutant %d of %s", i, base.Name)
	switch rng.IntN(6) {
	case 0:
		tally.update(t, server, "update to "+what, broken, stored(base, rng))
	case 1:
		tally.update(t, server, "update from "+what, base, stored(broken, rng))
	case 2:
		other := m.mutant(tally, broken, fields, rng.IntN(len(fields)))
		if other != nil {
			tally.update(t, server, "update again from "+what, other, stored(broken, rng))
		}
	default:
		tally.create(t, server, what, broken)
	}
}

// mutant returns a changed copy, nil if it cannot be sent.
func (m *definitionMutator) mutant(tally *definitionTally, base *apiextensionsv1.CustomResourceDefinition, fields []typeField, i int) *apiextensionsv1.CustomResourceDefinition {
	crd := base.DeepCopy()
	faults := 1
	if m.rng.IntN(3) == 0 {
		faults += 1 + m.rng.IntN(3)
	}
	for k := range faults {
		f := fields[i%len(fields)]
		if k > 0 || m.rng.IntN(3) == 0 {
			f = m.interesting(fields)
		}
		if m.mutate(reflect.ValueOf(crd).Elem(), f) {
			tally.mu.Lock()
			tally.fields[f.String()]++
			tally.mu.Unlock()
		}
	}
	return sent(crd)
}

// interesting picks a field, and prefers fields of schemas, rules and versions to fields
// of metadata.
func (m *definitionMutator) interesting(fields []typeField) typeField {
	for {
		f := fields[m.rng.IntN(len(fields))]
		if strings.Contains(f.of.PkgPath(), "/apiextensions/") || m.rng.IntN(8) == 0 {
			return f
		}
	}
}

// stored returns a definition in a form that storage may have.
func stored(crd *apiextensionsv1.CustomResourceDefinition, rng *rand.Rand) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	crd.UID, crd.ResourceVersion = "7", "12"
	if rng.IntN(2) == 0 {
		crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
		}
	}
	return crd
}
