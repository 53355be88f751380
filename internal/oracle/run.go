package oracle

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
)

// Config selects what Run compares.
type Config struct {
	Objects int // generated for a version
	Known   []Known
	// Ours compiles our side of a definition; tests set a function with faults.
	Ours func(crd *apiextensionsv1.CustomResourceDefinition) (map[string]*Ours, error)
}

// Run compares the two sides on every definition.
func Run(definitions []*testkit.Definition, cfg Config) *Tally {
	t := newTally(cfg.Known)
	t.Definitions = len(definitions)
	work := make(chan *testkit.Definition)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for d := range work {
				t.definition(d, cfg)
			}
		})
	}
	// Start the largest definitions first, so that no worker is left with one at the end.
	order := slices.Clone(definitions)
	slices.SortStableFunc(order, func(a, b *testkit.Definition) int { return b.CRD.Size() - a.CRD.Size() })
	for _, d := range order {
		work <- d
	}
	close(work)
	group.Wait()
	return t
}

func (t *Tally) definition(d *testkit.Definition, cfg Config) {
	fail := func(what string, err error) {
		t.add(Difference{Op: "compile", What: what, Definition: d.Path, Detail: fmt.Sprintf("  %v\n", err)})
	}
	up, err := upstream.Compile(d.CRD)
	if err != nil {
		fail("upstream", err)
		return
	}
	ours, err := cfg.Ours(up.CRD)
	if err != nil {
		fail("ours", err)
		return
	}
	for i, v := range up.Versions {
		c := &check{tally: t, def: d, up: v, ours: ours[v.Name]}
		declared := &d.CRD.Spec.Versions[i]
		if declared.Schema != nil && declared.Schema.OpenAPIV3Schema != nil {
			c.structural(declared.Schema.OpenAPIV3Schema)
		}
		c.facts()
		objects := c.objects(declared, cfg.Objects)
		t.count(1, objects, c.comparisons)
	}
}

// source returns random numbers that depend only on the names.
func source(names ...string) *rand.Rand {
	h := fnv.New64a()
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(h.Sum64(), 20))
}

// objects compares the samples of the version and n generated objects. It returns the
// number of objects.
func (c *check) objects(declared *apiextensionsv1.CustomResourceDefinitionVersion, n int) int {
	crd := c.up.Definition.CRD
	target := generate.Target{
		Group: crd.Spec.Group, Version: declared.Name, Kind: crd.Spec.Names.Kind,
		Namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
	}
	if declared.Schema != nil {
		target.Schema = declared.Schema.OpenAPIV3Schema
	}
	var samples []map[string]any
	count := 0
	for _, s := range c.def.Samples {
		samples = append(samples, s.Object)
		if s.Version() == declared.Name {
			c.name = s.Path
			c.object(s.Object, source(s.Path), true)
			count++
		}
	}
	g := generate.New(target, samples...)
	for i := range n {
		class := generate.Class(i % 4)
		c.name = fmt.Sprintf("%s object %d", class, i)
		rng := source(crd.Name, declared.Name, c.name)
		c.object(g.Object(rng, class), rng, i%8 < 4)
		count++
	}
	return count
}

// object compares every request on one object. The old objects of updates are those
// that upstream creates, valid or not, because the history of an object is unknown.
func (c *check) object(obj map[string]any, rng *rand.Rand, everything bool) {
	fields := []string{"Strict", "Warn", "Warn", "Ignore"}[rng.IntN(4)]
	c.steps(obj)
	made := c.create(obj, fields)
	c.read(obj)
	if made == nil {
		return
	}
	for _, v := range c.up.Definition.Versions {
		if v.Name != c.up.Name && everything {
			stored := testkit.Clone(made)
			stored["apiVersion"] = c.up.Kind.Group + "/" + v.Name
			c.read(stored)
		}
	}
	old := c.up.Read(encode(made)).Object
	if old == nil {
		return
	}
	keep(old)
	if everything {
		c.update("noop", testkit.Clone(old), old, fields)
	}
	changed := testkit.Mutate(rng, old)
	if status, ok := obj["status"]; ok && rng.IntN(2) == 0 {
		changed["status"] = status
	}
	c.update("update", changed, old, fields)
	c.status(changed, old, fields)
}

// keep sets the fields that a store sets in an object.
func keep(obj map[string]any) {
	meta, ok := obj["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		obj["metadata"] = meta
	}
	meta["resourceVersion"] = "7"
	meta["uid"] = "5f7a6b1c-0000-4000-8000-000000000007"
	meta["creationTimestamp"] = "2024-02-29T12:00:00Z"
}

func (c *check) facts() {
	c.name = "facts"
	c.guard("facts", nil, func() {
		theirs, mine := c.up.Facts(), c.ours.Facts()
		if !slices.Equal(theirs, mine) {
			c.differ("facts", "facts", upstream.Diff(theirs, mine), nil)
		}
	})
}
