package celrules

import (
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/schema"
)

var (
	full = flag.Bool("full", false, "compare everything, which takes long, instead of a share")
	seed = flag.Uint64("seed", 20, "of generated objects")
)

// source returns random numbers that depend only on the seed and the names.
func source(names ...string) *rand.Rand {
	h := fnv.New64a()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(h.Sum64(), *seed))
}

// A version is a version of the corpus that has rules.
type version struct {
	*subject
	props     *apiextensionsv1.JSONSchemaProps
	generator *generate.Generator
	samples   []map[string]any // objects of the version
}

// versions compiles all versions of the corpus that have rules. Without a
// corpus it skips the test.
func versions(t testing.TB) []*version {
	t.Helper()
	list := corpusVersions(t)
	if list == nil {
		t.Skip("no corpus; see crdtest.CorpusDir")
	}
	return list
}

// compiled keeps the result of corpusVersions for the next test.
var compiled struct {
	once sync.Once
	list []*version
}

// corpusVersions is like versions, but returns nil without a corpus. It is for
// tests that have other inputs, too.
func corpusVersions(t testing.TB) []*version {
	t.Helper()
	compiled.once.Do(func() { compiled.list = compileCorpus(t) })
	return compiled.list
}

func compileCorpus(t testing.TB) []*version {
	t.Helper()
	dir, ok := testkit.CorpusDir()
	if !ok {
		return nil
	}
	corpus, err := testkit.LoadCorpus(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []*version
	for _, d := range corpus.Definitions {
		for i := range d.CRD.Spec.Versions {
			declared := &d.CRD.Spec.Versions[i]
			if declared.Schema == nil || declared.Schema.OpenAPIV3Schema == nil {
				continue
			}
			props := declared.Schema.OpenAPIV3Schema
			if n, errs := schema.Compile(props); len(errs) > 0 || !n.Facts().Has(schema.HasRules) {
				continue
			}
			list = append(list, newVersion(d, declared, props))
		}
	}
	parallel(len(list), func(i int) {
		list[i].subject = newSubject(t, list[i].name(), list[i].props, celconfig.PerCallLimit)
	})
	return slices.DeleteFunc(list, func(v *version) bool { return v.subject == nil })
}

func newVersion(d *testkit.Definition, declared *apiextensionsv1.CustomResourceDefinitionVersion, props *apiextensionsv1.JSONSchemaProps) *version {
	v := &version{subject: &subject{name: d.Path + " " + declared.Name}, props: props}
	var samples []map[string]any
	for _, s := range d.Samples {
		samples = append(samples, s.Object)
		if s.Version() == declared.Name {
			v.samples = append(v.samples, s.Object)
		}
	}
	v.generator = generate.New(generate.Target{
		Group: d.CRD.Spec.Group, Version: declared.Name, Kind: d.CRD.Spec.Names.Kind, Namespaced: true, Schema: props,
	}, samples...)
	return v
}

func (v *version) name() string { return v.subject.name }

// TestCorpus compares all sides on the rules of the corpus.
func TestCorpus(t *testing.T) {
	list := versions(t)
	c := newTally(t, "corpus", "three sides")
	objects := 24
	if testing.Short() {
		objects = 2
	}
	if *full {
		objects = 200
	}
	parallel(len(list), func(i int) {
		v := list[i]
		c.rules.Add(int64(rules(v.node)))
		v.each(objects, func(in *input, what string) {
			c.three(v.subject, in, what, evaluations(v.node, in.obj, oldOf(in)))
		})
	})
	c.report()
}

func oldOf(in *input) any {
	if in.old == nil {
		return nil
	}
	return in.old
}

// each visits creates and updates of the samples of a version, of n generated objects, and
// of changed copies.
func (v *version) each(n int, visit func(in *input, what string)) {
	for i, o := range v.samples {
		rng := source(v.name(), "sample", fmt.Sprint(i))
		v.family(rng, o, visit, "sample")
		for range 3 {
			v.family(rng, harm(rng, o), visit, "harmed sample")
		}
	}
	for i := range n {
		class := generate.Class(i % 4)
		rng := source(v.name(), class.String(), fmt.Sprint(i))
		if o := v.generator.Object(rng, class); o != nil {
			v.family(rng, o, visit, class.String()+" object")
		}
	}
}

// family visits a create of an object, an update without changes, and updates with changes.
func (v *version) family(rng *rand.Rand, o map[string]any, visit func(in *input, what string), what string) {
	changed := testkit.Mutate(rng, o)
	visit(&input{obj: o, budget: budget}, what+" created")
	visit(&input{obj: o, old: testkit.Clone(o), budget: budget}, what+" unchanged")
	visit(&input{obj: changed, old: o, budget: budget}, what+" changed")
	visit(&input{obj: o, old: harm(rng, changed), budget: budget}, what+" mended")
}

// harm returns a copy of an object with some values replaced by unusual values.
func harm(rng *rand.Rand, obj map[string]any) map[string]any {
	out := testkit.Clone(obj)
	for range 1 + rng.IntN(3) {
		harmBelow(rng, out, 0)
	}
	return out
}

func harmBelow(rng *rand.Rand, v any, depth int) any {
	if depth > 0 && rng.IntN(4) == 0 {
		return unusualValue(rng, v)
	}
	switch v := v.(type) {
	case map[string]any:
		names := sortedNames(v)
		if len(names) == 0 || rng.IntN(12) == 0 {
			v[[]string{"", "ключ", "a.b/c-d", "namespace", "__x"}[rng.IntN(5)]] = unusualValue(rng, nil)
			return v
		}
		name := names[rng.IntN(len(names))]
		v[name] = harmBelow(rng, v[name], depth+1)
		return v
	case []any:
		if len(v) == 0 {
			return []any{unusualValue(rng, nil)}
		}
		i := rng.IntN(len(v))
		v[i] = harmBelow(rng, v[i], depth+1)
		return v
	}
	return unusualValue(rng, v)
}

// unusualValue returns a replacement for v.
func unusualValue(rng *rand.Rand, v any) any {
	if list, ok := v.([]any); ok && len(list) > 0 && rng.IntN(2) == 0 {
		return unusualList(rng, list)
	}
	if s, ok := v.(string); ok && rng.IntN(2) == 0 {
		return []any{s + "é", strings.Repeat(s, 40), "日本語 " + s, strings.ToUpper(s), s + "\n", " " + s, s + "\x00"}[rng.IntN(7)]
	}
	if i, ok := v.(int64); ok && rng.IntN(2) == 0 {
		return []any{int64(math.MaxInt64), int64(math.MinInt64), -i, i + 1, float64(i), fmt.Sprint(i)}[rng.IntN(6)]
	}
	return []any{
		nil, true, int64(3), int64(0), int64(-1), 2.5, 1e300, math.Copysign(0, -1), "x", "5", "", "é", "2024-01-01T00:00:00Z", "2024-01-01t00:00:00z",
		"1h", "1h30m", "YQ==", "!", []any{}, []any{"a", nil}, []any{int64(1), int64(1)}, []any{nil}, map[string]any{},
		map[string]any{"k": nil}, map[string]any{"k": "v", "x": int64(1)}, []any{map[string]any{"name": "a"}, map[string]any{"name": []any{}}},
		[]any{map[string]any{"name": "a"}, map[string]any{"name": "a"}},
	}[rng.IntN(27)]
}

func unusualList(rng *rand.Rand, list []any) any {
	switch rng.IntN(5) {
	case 0: // long
		out := make([]any, 0, 150)
		for i := range 100 + rng.IntN(50) {
			out = append(out, list[i%len(list)])
		}
		return out
	case 1: // with a null
		return append([]any{nil}, list...)
	case 2: // with an element twice
		return append(list[:len(list):len(list)], list[rng.IntN(len(list))])
	case 3: // in another order
		out := append([]any(nil), list...)
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	return list[:rng.IntN(len(list))]
}

func sortedNames(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
