package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
	"github.com/crdkit/crdkit/validation/cel"
)

// A ruled object is a sample of a version that has rules.
type ruled struct {
	path     string
	up       *upstream.Version
	program  *cel.Program
	obj, old map[string]any
}

// corpusCases returns two cases: the rules of all samples of the corpus, as the samples
// are written and with defaults. It skips samples whose validation errors keep rules
// from running. The corpus is read when the first case is measured, so that it takes no
// memory while other cases are measured.
func corpusCases(dir string) []*testCase {
	load := sync.OnceValues(func() (corpusSamples, error) { return loadSamples(dir) })
	return []*testCase{
		{name: "corpus samples as written", rules: true, all: func() ([]ruled, error) { s, err := load(); return s.written, err }},
		{name: "corpus samples with defaults", rules: true, all: func() ([]ruled, error) { s, err := load(); return s.full, err }},
	}
}

type corpusSamples struct{ written, full []ruled }

func loadSamples(dir string) (corpusSamples, error) {
	var s corpusSamples
	c, err := testkit.LoadCorpus(dir)
	if err != nil {
		return s, err
	}
	for _, d := range c.Definitions {
		if err := s.add(d); err != nil {
			return s, fmt.Errorf("%s: %w", d.Path, err)
		}
	}
	return s, nil
}

// add adds the samples of a definition. Both sides keep only the versions that have
// rules and samples.
func (all *corpusSamples) add(d *testkit.Definition) error {
	var up *upstream.Definition
	versions := make(map[string]*sampledVersion)
	for _, s := range d.Samples {
		name := s.Version()
		v, ok := versions[name]
		if !ok {
			var err error
			if v, err = sampledVersionOf(d, name, &up); err != nil {
				return err
			}
			versions[name] = v
		}
		if v == nil {
			continue
		}
		defaulted := testkit.Clone(s.Object)
		v.defaults.Default(defaulted)
		if !v.values.Validate(s.Object).BlocksRules() {
			all.written = append(all.written, ruled{path: s.Path, up: v.up, program: v.program, obj: s.Object})
		}
		if !v.values.Validate(defaulted).BlocksRules() {
			all.full = append(all.full, ruled{path: s.Path, up: v.up, program: v.program, obj: defaulted})
		}
	}
	return nil
}

type sampledVersion struct {
	up       *upstream.Version
	program  *cel.Program
	values   *validation.Validator
	defaults *defaulting.Defaulter
}

// sampledVersionOf returns nil for a version without rules, and for a version that the
// sides refuse. Tests compare such refusals.
func sampledVersionOf(d *testkit.Definition, name string, up **upstream.Definition) (*sampledVersion, error) {
	declared := d.Version(name)
	if declared == nil || declared.Schema == nil {
		return nil, nil
	}
	n, errs := schema.Compile(declared.Schema.OpenAPIV3Schema)
	if len(errs) > 0 || !n.Facts().Has(schema.HasRules) {
		return nil, nil
	}
	program, errs := cel.Compile(n)
	if len(errs) > 0 || program == nil {
		return nil, nil
	}
	if *up == nil {
		compiled, err := upstream.Compile(d.CRD)
		if err != nil {
			return nil, err
		}
		*up = compiled
	}
	v := (*up).Version(name)
	if v == nil || !v.HasRules() {
		return nil, errDiffer
	}
	return &sampledVersion{up: v, program: program, values: validation.New(n), defaults: defaulting.New(n)}, nil
}

// prepareAll evaluates the rules of all samples, one after another.
func prepareAll(load func() ([]ruled, error), update bool) (*pair, error) {
	loaded, err := load()
	if err != nil {
		return nil, err
	}
	all := slices.Clone(loaded)
	cost := uint64(0)
	for i := range all {
		r := &all[i]
		if update {
			r.old = testkit.Clone(r.obj)
		}
		if !r.agree() {
			return nil, fmt.Errorf("%s: %w", r.path, errDiffer)
		}
		cost += r.ours().Cost
	}
	return &pair{
		upstream: func(any) {
			for i := range all {
				all[i].upstream()
			}
		},
		ours: func(any) {
			for i := range all {
				all[i].ours()
			}
		},
		note: fmt.Sprintf("%d samples, %d cost units", len(all), cost),
	}, nil
}

func (r *ruled) upstream() upstream.Outcome { return r.up.Rules(r.obj, r.old) }

func (r *ruled) ours() cel.Result {
	return r.program.Eval(context.Background(), r.obj, cel.Old(r.old))
}

// agree compares the two sides. It tries a few times, because some results depend on
// the order of maps.
func (r *ruled) agree() bool {
	for range 20 {
		theirs, mine := r.upstream(), r.ours()
		if theirs.Cost == int64(mine.Cost) && upstream.SameErrors(theirs.Errors, mine.Errors.Field()) {
			return true
		}
	}
	return false
}
