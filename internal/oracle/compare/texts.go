package main

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// compareTexts measures all definitions of the corpus from their YAML: read, checked and
// ready to serve. It prints no row for each, but the sum of all.
func compareTexts(o operation, dir string, set settings) error {
	corpus, err := testkit.LoadCorpus(dir)
	if err != nil {
		return err
	}
	server := upstream.NewDefinitionServer()
	t := newTable(o)
	theirs, ours := 0.0, 0.0
	var all []*pair // to profile
	for _, d := range corpus.Definitions {
		p, err := prepareText(server, d.CRD)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
		if p == nil {
			continue
		}
		if set.profiles != "" {
			all = append(all, p)
			continue
		}
		m := measure(p, max(1, set.rounds/3))
		t.count(row{d.Path, m.ratio()})
		theirs, ours = theirs+m.upstream, ours+m.ours
	}
	if set.profiles != "" {
		return t.measure("all", &pair{ours: func(any) {
			for _, p := range all {
				p.ours(nil)
			}
		}}, set)
	}
	if err := t.end(); err != nil {
		return err
	}
	fmt.Printf("total %s: %d definitions, upstream %.0f ms, ours %.0f ms, %.2f x\n", o.name, t.counted, theirs/1e6, ours/1e6, theirs/ours)
	return nil
}

// prepareText returns nil for a definition that upstream refuses.
func prepareText(server *upstream.DefinitionServer, crd *apiextensionsv1.CustomResourceDefinition) (*pair, error) {
	text, err := yaml.Marshal(crd)
	if err != nil {
		return nil, err
	}
	up := func() (accepted bool, err error) {
		var read apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict(text, &read); err != nil {
			return false, err
		}
		obj, err := server.Decoded(&read)
		if err != nil {
			return false, err
		}
		if errs, _ := server.Create(obj); len(errs) > 0 {
			return false, nil
		}
		_, err = upstream.Serve(&read)
		return err == nil, err
	}
	mine := func() (bool, error) {
		read, err := definition.Parse(text)
		if err != nil {
			return false, err
		}
		if !definition.Check(read).Accepted() {
			return false, nil
		}
		_, err = crdkit.Compile(read)
		return err == nil, err
	}
	a, err := up()
	if err != nil {
		return nil, err
	}
	b, err := mine()
	if err != nil {
		return nil, err
	}
	if a != b {
		return nil, errDiffer
	}
	if !a {
		return nil, nil
	}
	return &pair{upstream: func(any) { _, _ = up() }, ours: func(any) { _, _ = mine() }}, nil
}
