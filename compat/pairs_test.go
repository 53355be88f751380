package compat_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/fuzz"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
)

var (
	pairCount   = flag.Int("pairs", 60, "pairs of definitions that differ in one change")
	pairObjects = flag.Int("objects", 20, "objects that attack each compatible pair")
	pairSeed    = flag.Uint64("seed", 1, "seed of the pairs")
	pairCorpus  = flag.Bool("corpus", false, "change the definitions of the corpus, not those of this repository")
)

// TestPairs compares definitions with copies in which one thing changed. Each
// witness is given to both definitions again, and each pair without a finding
// against writers is attacked with generated objects.
func TestPairs(t *testing.T) {
	corpus, err := testkit.LoadTestdata("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if *pairCorpus {
		corpus = testkit.FindCorpus(t)
	}
	rng := rand.New(rand.NewPCG(*pairSeed, 0))
	s := pairStats{verdicts: map[string]int{}, reasons: map[string]int{}}
	for attempts := 0; s.pairs < *pairCount && attempts < 40**pairCount; attempts++ {
		kind := changeKinds[attempts%len(changeKinds)]
		d := corpus.Definitions[rng.IntN(len(corpus.Definitions))]
		i := rng.IntN(len(d.CRD.Spec.Versions))
		if !d.CRD.Spec.Versions[i].Served {
			continue // compat compares what clients can read and write
		}
		if crd := changed(rng, d.CRD, i, kind); crd != nil {
			s.add(t, rng, d.CRD, crd, i, kind.name+" "+d.Path)
		}
	}
	s.report(t)
	if s.pairs < *pairCount*3/4 {
		t.Errorf("only %d pairs were made", s.pairs)
	}
	if unknown := s.verdicts["unknown"]; unknown*20 > s.pairs {
		t.Errorf("%d of %d pairs are unknown, want at most 5 %%", unknown, s.pairs)
	}
}

type pairStats struct {
	pairs    int
	objects  int // that attacked compatible pairs
	verdicts map[string]int
	reasons  map[string]int
	times    []time.Duration
}

func (s *pairStats) add(t *testing.T, rng *rand.Rand, old, crd *apiextensionsv1.CustomResourceDefinition, i int, name string) {
	t.Helper()
	start := time.Now()
	r, err := compat.Compare(context.Background(), old, crd)
	took := time.Since(start)
	if err != nil {
		return // the change made a definition that does not compile
	}
	s.pairs++
	s.times = append(s.times, took)
	verdict := schemaVerdict(r)
	s.verdicts[string(verdict)]++
	for _, f := range compat.Split(r.Findings) {
		if f.Verdict == compat.VerdictUnknown {
			s.reasons[fmt.Sprintf("%s: %s %s", name, f.Field, f.Text)]++
		}
	}
	p := newJudge(t, old, crd, old.Spec.Versions[i].Name)
	p.witnesses(name, r)
	if verdict == compat.VerdictCompatible {
		p.attack(rng, name, *pairObjects)
		s.objects += *pairObjects
	}
}

// schemaVerdict is the verdict on writers and stored objects.
func schemaVerdict(r *compat.Report) compat.Verdict {
	verdict := compat.VerdictCompatible
	for _, f := range compat.Split(r.Findings) {
		switch {
		case f.Role != compat.RoleWriters && f.Role != compat.RoleStored:
		case f.Verdict == compat.VerdictIncompatible:
			return f.Verdict
		case f.Verdict == compat.VerdictUnknown:
			verdict = f.Verdict
		}
	}
	return verdict
}

func (s *pairStats) report(t *testing.T) {
	t.Helper()
	slices.Sort(s.times)
	if len(s.times) == 0 {
		t.Fatal("no pairs")
	}
	t.Logf("%d pairs: %v; %d objects for the compatible ones; median %v, 99th percentile %v, longest %v", s.pairs, s.verdicts, s.objects,
		s.times[len(s.times)/2], s.times[len(s.times)*99/100], s.times[len(s.times)-1])
	for _, reason := range slices.Sorted(maps.Keys(s.reasons)) {
		t.Logf("%d unknown: %.300s", s.reasons[reason], reason)
	}
}

// A judge gives objects to two definitions, apart from package compat.
type judge struct {
	t        *testing.T
	old, crd *crdkit.Version
	changed  *crdkit.Version // old, or the version that changed if it is another one
	webhook  bool            // which nothing may call
	schema   *apiextensionsv1.JSONSchemaProps
}

func newJudge(t *testing.T, old, crd *apiextensionsv1.CustomResourceDefinition, version string) *judge {
	t.Helper()
	j := &judge{t: t, webhook: old.Spec.Conversion != nil && old.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter}
	for _, side := range []struct {
		crd *apiextensionsv1.CustomResourceDefinition
		to  **crdkit.Version
	}{{old, &j.old}, {crd, &j.crd}} {
		def, err := crdkit.Compile(side.crd)
		if err != nil {
			t.Fatal(err)
		}
		*side.to, _ = def.Version(version)
	}
	j.changed = j.old
	for _, v := range old.Spec.Versions {
		if v.Name == version && v.Schema != nil {
			j.schema = v.Schema.OpenAPIV3Schema
		}
	}
	return j
}

// witnesses checks that the definitions differ in each witness for writers. A change of the
// storage version has witnesses at other versions, too.
func (j *judge) witnesses(name string, r *compat.Report) {
	for _, f := range compat.Split(r.Findings) {
		if f.Verdict != compat.VerdictIncompatible || f.Role != compat.RoleWriters || f.Witness == nil || f.Witness.Object["status"] != nil {
			continue
		}
		at := *j
		at.old, _ = j.old.Definition().Version(f.Version)
		at.crd, _ = j.crd.Definition().Version(f.Version)
		if difference := at.difference(f.Witness.Object, f.Witness.Old); difference == "" {
			j.t.Errorf("%s: %s: the witness shows no difference: %s", name, f.Text, testkit.Encode(f.Witness.Object))
		}
	}
}

// attack gives generated objects to both definitions, which must agree, and updates from
// each to the next one.
func (j *judge) attack(rng *rand.Rand, name string, objects int) {
	gvk := j.old.GroupVersionKind()
	g := generate.New(generate.Target{
		Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind,
		Namespaced: j.old.Definition().Namespaced(), Schema: j.schema,
	})
	var last map[string]any
	for i := range objects {
		obj := g.Object(rng, []generate.Class{generate.Valid, generate.Boundary}[i%2])
		testkit.Integers(j.schema, obj)
		if difference := j.difference(obj, nil); difference != "" {
			j.t.Errorf("%s: compatible, but %s: %s", name, difference, testkit.Encode(obj))
			return
		}
		stored, _ := j.write(j.old, obj, nil)
		if stored == nil {
			continue
		}
		if last != nil {
			obj["metadata"] = last["metadata"]
			if difference := j.difference(obj, last); difference != "" {
				j.t.Errorf("%s: compatible, but %s: %s after %s", name, difference, testkit.Encode(obj), testkit.Encode(last))
				return
			}
		}
		last = stored
	}
}

// difference says in what the definitions differ for an object that the old one
// admits as it is, "" if in nothing.
func (j *judge) difference(obj, old map[string]any) string {
	before, result := j.write(j.old, obj, old)
	if before == nil || strings.Contains(fmt.Sprint(result.Changes), "pruned") {
		return ""
	}
	after, result := j.write(j.crd, obj, j.read(old))
	if after == nil {
		return result.Err().Error()
	}
	for _, d := range jsondiff.Of(before, after) {
		if path := d.Path.String(); d.Kind != jsondiff.Added || declares(j.old, path) || declares(j.changed, path) {
			return fmt.Sprintf("%s was %v and is %v", d.Path, d.Before, d.After)
		}
	}
	return ""
}

// read returns a stored object as the new definition reads it, nil for nil.
func (j *judge) read(stored map[string]any) map[string]any {
	if stored == nil {
		return nil
	}
	u, _, err := j.crd.Read(context.Background(), &unstructured.Unstructured{Object: testkit.Clone(stored)})
	if err != nil {
		j.t.Fatal(err)
	}
	return u.Object
}

// declares reports whether the schema of a version has the field of a path.
func declares(v *crdkit.Version, path string) bool {
	n := v.Schema()
	for _, name := range strings.Split(path, ".") {
		name, _, _ = strings.Cut(name, "[")
		child := n.Property(name)
		if child == nil {
			child, _ = n.AdditionalProperties()
		}
		if n = child; n == nil {
			return false
		}
		for n.Items() != nil {
			n = n.Items()
		}
	}
	return true
}

func (j *judge) write(v *crdkit.Version, obj, old map[string]any) (map[string]any, *crdkit.Result) {
	u := &unstructured.Unstructured{Object: testkit.Clone(obj)}
	var result *crdkit.Result
	var err error
	if old == nil {
		result, err = v.Create(context.Background(), u, crdkit.ReportChanges())
	} else {
		result, err = v.Update(context.Background(), u, &unstructured.Unstructured{Object: testkit.Clone(old)}, crdkit.ReportChanges())
	}
	if err != nil {
		j.t.Fatal(err)
	}
	if !result.Admitted() {
		return nil, result
	}
	if j.webhook {
		return u.Object, result
	}
	stored, err := v.Store(context.Background(), u)
	if err != nil {
		j.t.Fatal(err)
	}
	read, _, err := v.Read(context.Background(), stored)
	if err != nil {
		j.t.Fatal(err)
	}
	return read.Object, result
}

// changed returns a copy of a definition with one change in a version, nil if the
// change does not apply to it.
func changed(rng *rand.Rand, crd *apiextensionsv1.CustomResourceDefinition, i int, kind changeKind) *apiextensionsv1.CustomResourceDefinition {
	if crd.Spec.Versions[i].Schema == nil || crd.Spec.PreserveUnknownFields {
		return nil
	}
	text, err := json.Marshal(crd.Spec.Versions[i].Schema.OpenAPIV3Schema)
	if err != nil {
		return nil
	}
	decoded, err := testkit.DecodeJSON(text)
	root, ok := decoded.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	sites := schemaSites(root, true)
	rng.Shuffle(len(sites), func(a, b int) { sites[a], sites[b] = sites[b], sites[a] })
	for _, site := range sites {
		if !kind.apply(rng, site) {
			continue
		}
		out := crd.DeepCopy()
		props := &apiextensionsv1.JSONSchemaProps{}
		if err := json.Unmarshal(testkit.Encode(root), props); err != nil {
			return nil
		}
		out.Spec.Versions[i].Schema.OpenAPIV3Schema = props
		if _, err := crdkit.Compile(out); err != nil {
			return nil
		}
		return out
	}
	return nil
}

// schemaSites returns the schemas of a spine, without the root and its metadata.
func schemaSites(s map[string]any, root bool) []map[string]any {
	var out []map[string]any
	if !root {
		out = append(out, s)
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if root && (name == "metadata" || name == "apiVersion" || name == "kind" || name == "status") {
				continue
			}
			out = append(out, schemaSites(properties[name].(map[string]any), false)...)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if child, ok := s[key].(map[string]any); ok {
			out = append(out, schemaSites(child, false)...)
		}
	}
	return out
}

// FuzzCompare changes a definition in a way that the seed chooses, and judges the
// report as TestPairs does.
func FuzzCompare(f *testing.F) {
	corpus, err := testkit.LoadTestdata("../testdata")
	if err != nil {
		f.Fatal(err)
	}
	for kind := range changeKinds {
		f.Add(uint64(kind), uint8(kind))
	}
	fuzz.Run(f, func(t *testing.T, seed uint64, kind uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		d := corpus.Definitions[rng.IntN(len(corpus.Definitions))]
		i := rng.IntN(len(d.CRD.Spec.Versions))
		k := changeKinds[int(kind)%len(changeKinds)]
		if crd := changed(rng, d.CRD, i, k); crd != nil {
			s := pairStats{verdicts: map[string]int{}, reasons: map[string]int{}}
			s.add(t, rng, d.CRD, crd, i, k.name+" "+d.Path)
		}
	})
}
