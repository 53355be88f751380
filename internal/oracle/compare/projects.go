package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/oracle/upstream"
	"github.com/crdkit/crdkit/internal/test/testkit"
)

// compareProjects measures creates of the samples of the corpus, from their bytes: each
// sample many times in turn, as a benchmark does. One definition is in memory at a time.
// A row has the sums of the samples of a project that upstream accepts. After the table it
// prints the time of all creates against the time of json.Valid on the same texts.
// compareTurn measures the same samples one after another.
func compareProjects(o operation, dir string, set settings) error {
	packs, err := packCorpus(dir)
	if err != nil {
		return err
	}
	t := newTable(o)
	var all sums
	for len(packs) > 0 {
		n := 1
		for n < len(packs) && packs[n].project == packs[0].project {
			n++
		}
		name, of := packs[0].project, packs[:n]
		packs = packs[n:]
		if set.skips(name) {
			continue
		}
		s, err := measureProject(o, of, set)
		if err != nil {
			return err
		}
		if s.samples > 0 {
			all.add(s)
			t.row(name, &pair{}, s.measurement())
		}
	}
	if err := t.end(); err != nil || all.samples == 0 {
		return err
	}
	printAgainstValid(o, all.samples, all.ours, all.valid, mostOfValid)
	fmt.Printf("%s against json.Valid: geometric mean of the samples %.2f times\n", o.name, math.Exp(all.logs/float64(all.samples)))
	return nil
}

// mostOfValid is the ceiling of the time of a create, in times of json.Valid.
const mostOfValid = 1.8

func printAgainstValid(o operation, samples int, ours, valid, most float64) {
	fmt.Printf("%s against json.Valid: %d samples, ours %.2f ms, json.Valid %.2f ms, %.2f times\n",
		o.name, samples, ours/1e6, valid/1e6, ours/valid)
	if ours/valid > most {
		fmt.Printf("below %s: %.2f times json.Valid, ceiling %g\n", o.name, ours/valid, most)
	}
}

// A pack is a definition and its samples as texts, which the garbage collector does not
// read: the measured definition is all that it has to look at.
type pack struct {
	path, project string
	definition    []byte
	samples       []packedSample
}

type packedSample struct {
	path, version string
	raw           []byte
}

// packCorpus returns the definitions that have samples, in the order of projects.
func packCorpus(dir string) ([]pack, error) {
	c, err := testkit.LoadCorpus(dir)
	if err != nil {
		return nil, err
	}
	var packs []pack
	for _, d := range c.Definitions {
		if len(d.Samples) == 0 {
			continue
		}
		p := pack{path: d.Path, project: projectOf(d)}
		if p.definition, err = json.Marshal(d.CRD); err != nil {
			return nil, err
		}
		for _, s := range d.Samples {
			p.samples = append(p.samples, packedSample{s.Path, s.Version(), testkit.Encode(s.Object)})
		}
		packs = append(packs, p)
	}
	return packs, nil
}

// projectOf returns the name of the directory of a definition, which is its project.
func projectOf(d *testkit.Definition) string {
	parts := strings.Split(d.Path, "/")
	return parts[min(1, len(parts)-1)]
}

// sums are of samples.
type sums struct {
	samples               int
	upstream, ours, valid float64 // ns
	allocs, bytes         float64
	logs                  float64 // of the times of json.Valid
}

func (s *sums) add(o sums) {
	s.samples += o.samples
	s.upstream, s.ours, s.valid = s.upstream+o.upstream, s.ours+o.ours, s.valid+o.valid
	s.allocs, s.bytes = s.allocs+o.allocs, s.bytes+o.bytes
	s.logs += o.logs
}

func (s *sums) measurement() measurement {
	return measurement{upstream: s.upstream, ours: s.ours, allocs: s.allocs, bytes: s.bytes,
		yardstick: fmt.Sprintf("%d samples, json.Valid %.0f ns", s.samples, s.valid)}
}

// measureProject measures the samples of the definitions of a project, or writes a profile
// of each definition.
func measureProject(o operation, packs []pack, set settings) (sums, error) {
	var s sums
	for _, p := range packs {
		samples, err := p.rawSamples()
		if err != nil {
			return s, fmt.Errorf("%s: %w", p.path, err)
		}
		if set.profiles != "" && len(samples) > 0 {
			whole := project{samples}
			if err := profile(set.profiles, o.name, strings.ReplaceAll(p.path, "/", "-"), whole.pair()); err != nil {
				return s, err
			}
			continue
		}
		for i := range samples {
			one := project{samples[i : i+1]}
			sides := one.pair()
			m := measure(sides, set.rounds)
			valid := measureYardstick(sides, sides.yardstick, set.rounds)
			s.add(sums{1, m.upstream, m.ours, valid, m.allocs, m.bytes, math.Log(m.ours / valid)})
		}
	}
	return s, nil
}

// rawSamples compiles the definition and returns the samples that upstream accepts.
func (p *pack) rawSamples() ([]rawSample, error) {
	var crd apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(p.definition, &crd); err != nil {
		return nil, err
	}
	s, err := compileBoth(&crd)
	if err != nil {
		return nil, err
	}
	var out []rawSample
	for _, sample := range p.samples {
		ours, ok := s.ours.Version(sample.version)
		r := rawSample{sample.raw, s.up.Version(sample.version), ours}
		if r.up == nil || !ok {
			continue
		}
		stored := r.upstream()
		if stored == nil {
			continue
		}
		if !bytes.Equal(stored, r.create()) {
			return nil, fmt.Errorf("%s: %w", sample.path, errDiffer)
		}
		out = append(out, r)
	}
	return out, nil
}

type rawSample struct {
	raw  []byte
	up   *upstream.Version
	ours *crdkit.Version
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
