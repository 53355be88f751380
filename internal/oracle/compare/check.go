package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/processor"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
)

// The operation check measures definitions of the corpus instead of objects: some
// from the smallest to the largest, and the largest definition that the server refuses
// because of the total cost of its rules. Both sides begin with a decoded definition.
// Upstream sets defaults, converts to the internal type, prepares, validates and
// warns, as its handler and strategy do. crdkit calls definition.Check.

// spread is the number of definitions that are measured one by one.
const spread = 20

func compareCheck(o operation, dir string, set settings) error {
	corpus, err := testkit.LoadCorpus(dir)
	if err != nil {
		return err
	}
	server := upstream.NewDefinitionServer()
	t := newTable(o)
	for _, c := range definitionCases(corpus) {
		p, err := prepareCheck(server, c.crd)
		if err != nil {
			return fmt.Errorf("check %s: %w", c.name, err)
		}
		if err := t.measure(c.name, p, set); err != nil {
			return err
		}
	}
	if err := t.end(); err != nil {
		return err
	}
	if set.profiles != "" || set.only != "" {
		return nil
	}
	return wholeCorpus(server, corpus, set.rounds)
}

type definitionCase struct {
	name  string
	nodes int
	crd   *apiextensionsv1.CustomResourceDefinition
}

// bySize returns the definitions of a corpus, the smallest one first.
func bySize(corpus *testkit.Corpus) []definitionCase {
	var all []definitionCase
	for _, d := range corpus.Definitions {
		all = append(all, definitionCase{name: d.CRD.Spec.Names.Kind, nodes: nodesOf(d.CRD), crd: d.CRD})
	}
	slices.SortStableFunc(all, func(a, b definitionCase) int { return cmp.Compare(a.nodes, b.nodes) })
	return all
}

// definitionCases chooses from a corpus.
func definitionCases(corpus *testkit.Corpus) []definitionCase {
	all := bySize(corpus)
	var out []definitionCase
	for i := range spread {
		c := all[i*(len(all)-1)/(spread-1)]
		c.name = fmt.Sprintf("%s, %d schemas", c.name, c.nodes)
		out = append(out, c)
	}
	for _, c := range slices.Backward(all) {
		if overTotal(c.crd) {
			c.name = fmt.Sprintf("%s, %d schemas, too expensive", c.name, c.nodes)
			return append(out, c)
		}
	}
	return out
}

// nodesOf counts the schemas of all versions of a definition.
func nodesOf(crd *apiextensionsv1.CustomResourceDefinition) int {
	nodes := 0
	for i := range crd.Spec.Versions {
		if s := crd.Spec.Versions[i].Schema; s != nil {
			if n, _ := schema.Compile(s.OpenAPIV3Schema, schemaopt.WithoutAnnotations{}); n != nil {
				nodes += n.Stats().Nodes
			}
		}
	}
	return nodes
}

func overTotal(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for _, e := range definition.Check(crd).Errors {
		if strings.HasPrefix(e.Detail, "x-kubernetes-validations estimated rule cost total") {
			return true
		}
	}
	return false
}

func prepareCheck(server *upstream.DefinitionServer, crd *apiextensionsv1.CustomResourceDefinition) (*pair, error) {
	crd = crd.DeepCopy()
	up := func() (field.ErrorList, []string, error) {
		obj, err := server.Decoded(crd)
		if err != nil {
			return nil, nil, err
		}
		errs, warnings := server.Create(obj)
		return errs, warnings, nil
	}
	errs, warnings, err := up()
	if err != nil {
		return nil, err
	}
	mine := definition.Check(crd)
	var texts []string
	for _, w := range mine.Warnings {
		texts = append(texts, w.Text)
	}
	slices.Sort(warnings)
	slices.Sort(texts)
	if !upstream.SameErrors(errs, mine.Errors.Field()) || !slices.Equal(warnings, texts) {
		return nil, errDiffer
	}
	p := &pair{
		upstream: func(any) { _, _, _ = up() },
		ours:     func(any) { definition.Check(crd) },
	}
	if len(errs) > 0 {
		p.note = fmt.Sprintf("%d errors", len(errs))
	}
	return p, nil
}

// wholeCorpus measures all definitions together, by each side in turns.
func wholeCorpus(server *upstream.DefinitionServer, corpus *testkit.Corpus, rounds int) error {
	var pairs []*pair
	for _, d := range corpus.Definitions {
		p, err := prepareCheck(server, d.CRD)
		switch {
		case errors.Is(err, errDiffer): // some answers of upstream depend on chance
		case err != nil:
			return fmt.Errorf("%s: %w", d.Path, err)
		default:
			pairs = append(pairs, p)
		}
	}
	var theirs, ours []float64
	for range max(1, rounds/3) {
		theirs = append(theirs, together(pairs, func(p *pair) func(any) { return p.upstream }))
		ours = append(ours, together(pairs, func(p *pair) func(any) { return p.ours }))
	}
	fmt.Printf("check corpus: %d definitions, upstream %.0f ms, ours %.0f ms, %.2f x\n",
		len(pairs), median(theirs), median(ours), median(theirs)/median(ours))
	return nil
}

// together returns the processor time of one side on all pairs, including garbage
// collection, in milliseconds.
func together(pairs []*pair, side func(*pair) func(any)) float64 {
	runtime.GC()
	start := processor.Time()
	for _, p := range pairs {
		side(p)(nil)
	}
	return float64(processor.Time()-start) / float64(time.Millisecond)
}
