package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/testkit"
)

// compareProjects measures creates of the samples of the corpus, from their bytes: one
// row for each project, of all its samples that upstream accepts. After the table it
// prints the time of all creates against the time of json.Valid on the same texts.
func compareProjects(o operation, dir string, set settings) error {
	c, err := testkit.LoadCorpus(dir)
	if err != nil {
		return err
	}
	projects := map[string]*project{}
	for _, d := range c.Definitions {
		parts := strings.Split(d.Path, "/")
		if len(d.Samples) == 0 || len(parts) < 2 {
			continue
		}
		name := parts[1]
		if projects[name] == nil {
			projects[name] = &project{}
		}
		if err := projects[name].add(d); err != nil {
			return fmt.Errorf("%s: %w", d.Path, err)
		}
	}
	t := newTable(o)
	var whole project
	for _, name := range slices.Sorted(maps.Keys(projects)) {
		if p := projects[name]; len(p.samples) > 0 {
			if err := t.measure(name, p.pair(), set); err != nil {
				return err
			}
			whole.samples = append(whole.samples, p.samples...)
		}
	}
	if set.profiles != "" || set.only != "" {
		if err := t.measure("all", whole.pair(), set); err != nil {
			return err
		}
		return t.end()
	}
	if err := t.end(); err != nil {
		return err
	}
	return whole.againstValid(o, set.rounds)
}

// A project has the samples of one project of the corpus.
type project struct{ samples []rawSample }

type rawSample struct {
	raw  []byte
	up   *upstream.Version
	ours *crdkit.Version
}

func (p *project) add(d *testkit.Definition) error {
	s, err := compileBoth(d.CRD)
	if err != nil {
		return err
	}
	for _, sample := range d.Samples {
		ours, ok := s.ours.Version(sample.Version())
		r := rawSample{testkit.Encode(sample.Object), s.up.Version(sample.Version()), ours}
		if r.up == nil || !ok {
			continue
		}
		stored := r.upstream()
		if stored == nil {
			continue
		}
		if !bytes.Equal(stored, r.create()) {
			return fmt.Errorf("%s: %w", sample.Path, errDiffer)
		}
		p.samples = append(p.samples, r)
	}
	return nil
}

// upstream returns what the server stores, nil if it refuses the object.
func (r *rawSample) upstream() []byte {
	out := r.up.Create(upstream.Body{Data: r.raw, Fields: "Warn"})
	stored, err := json.Marshal(out.Object)
	if err != nil || len(out.Errors) > 0 || out.Refusal != "" {
		return nil
	}
	return stored
}

func (r *rawSample) create() []byte {
	stored, _, err := r.ours.CreateJSON(context.Background(), r.raw, crdkit.Warn)
	if err != nil {
		return nil
	}
	return stored
}

func (p *project) pair() *pair {
	each := func(do func(*rawSample)) func(any) {
		return func(any) {
			for i := range p.samples {
				do(&p.samples[i])
			}
		}
	}
	return &pair{
		upstream:      each(func(r *rawSample) { r.upstream() }),
		ours:          each(func(r *rawSample) { r.create() }),
		yardstick:     each(func(r *rawSample) { json.Valid(r.raw) }),
		yardstickName: "json.Valid",
		note:          fmt.Sprintf("%d samples", len(p.samples)),
	}
}

// mostOfValid is the ceiling of the time of a create, in times of json.Valid.
const mostOfValid = 1.6

// passes is how often all samples are created in a turn. The first pass after a collection
// finds no memory of earlier requests, so that few passes would measure that.
const passes = 20

// againstValid prints how many times longer than json.Valid all creates take.
func (p *project) againstValid(o operation, rounds int) error {
	sides := p.pair()
	var ours, valid []float64
	for range rounds {
		ours = append(ours, timed(sides, sides.ours, passes))
		valid = append(valid, timed(sides, sides.yardstick, passes))
	}
	ratio := median(ours) / median(valid)
	fmt.Printf("%s against json.Valid: %d samples, ours %.2f ms, json.Valid %.2f ms, %.2f times\n",
		o.name, len(p.samples), median(ours)/1e6, median(valid)/1e6, ratio)
	if ratio > mostOfValid {
		fmt.Printf("below %s: %.2f times json.Valid, ceiling %g\n", o.name, ratio, mostOfValid)
	}
	return nil
}
