package main

import (
	"encoding/json"
	"fmt"
)

// compareTurn measures creates of the samples of the corpus one after another, with all
// definitions in memory, so that a definition is not in the caches of the processor: one
// row for each project, of all its samples that upstream accepts. After the table it prints
// the time of all creates against the time of json.Valid on the same texts.
func compareTurn(o operation, dir string, set settings) error {
	packs, err := packCorpus(dir)
	if err != nil {
		return err
	}
	var names []string
	projects := map[string]*project{}
	for _, p := range packs {
		samples, err := p.rawSamples()
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		if len(samples) == 0 {
			continue
		}
		if projects[p.project] == nil {
			names = append(names, p.project)
			projects[p.project] = &project{}
		}
		projects[p.project].samples = append(projects[p.project].samples, samples...)
	}
	t := newTable(o)
	var whole project
	for _, name := range names {
		if err := t.measure(name, projects[name].pair(), set); err != nil {
			return err
		}
		whole.samples = append(whole.samples, projects[name].samples...)
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
	whole.againstValid(o, set.rounds)
	return nil
}

// A project has samples of a project of the corpus.
type project struct{ samples []rawSample }

// pair creates each sample once.
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

// passes is how often all samples are created in a turn. The first pass after a collection
// finds no memory of earlier requests, so that few passes would measure that.
const passes = 20

// mostOfValidInTurn is the ceiling of the time of these creates, in times of json.Valid.
const mostOfValidInTurn = 4.5

// againstValid prints how many times longer than json.Valid all creates take.
func (p *project) againstValid(o operation, rounds int) {
	sides := p.pair()
	var ours, valid []float64
	for range rounds {
		ours = append(ours, timed(sides, sides.ours, passes))
		valid = append(valid, timed(sides, sides.yardstick, passes))
	}
	printAgainstValid(o, len(p.samples), median(ours), median(valid), mostOfValidInTurn)
}
