package celrules

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
)

var (
	evaluationsWanted = flag.Int64("evaluations", 5_000_000, "that TestGrammar and TestDifferential make with -full")
	upstreamShare     = flag.Int("upstream", 8, "one of this number of inputs of TestDifferential also runs on upstream, which is much slower")
)

const (
	shareEvaluations = 200_000 // without -full
)

// A stream is a source of inputs for one subject.
type stream struct {
	*subject
	next func(rng *rand.Rand) *input
}

// TestDifferential compares the executor with cel-go until a number of
// evaluations is made, and with upstream on a share of the inputs. It uses the
// rules of the versions in the corpus and the synthetic rules. It generates every input.
func TestDifferential(t *testing.T) {
	want := int64(shareEvaluations)
	if testing.Short() {
		want /= 20
	}
	if *full {
		want = *evaluationsWanted
	}
	streams := streams(t)
	c := newTally(t, "differential", "the executor and cel-go")
	for _, s := range streams {
		c.rules.Add(int64(rules(s.node)))
	}
	// Each round runs a few inputs of every subject.
	for round := uint64(0); c.evaluations.Load() < want; round++ {
		parallel(len(streams), func(i int) {
			s := streams[i]
			rng := rand.New(rand.NewPCG(round<<32+uint64(i), *seed))
			for range 4 {
				in := s.next(rng)
				if in == nil {
					continue
				}
				count := evaluations(s.node, in.obj, oldOf(in))
				if in.budget != budget {
					count = 1
				}
				if rng.IntN(*upstreamShare) == 0 {
					c.three(s.subject, in, "generated", count)
				} else {
					c.two(s.subject, in, "generated", count)
				}
			}
		})
	}
	c.report()
}

// streams returns a stream for every version of the corpus, and one for every synthetic
// rule.
func streams(t *testing.T) []*stream {
	var list []*stream
	for _, v := range corpusVersions(t) {
		list = append(list, &stream{subject: v.subject, next: v.next})
	}
	made := synthetics(t)
	subjects := make([]*subject, len(made))
	parallel(len(made), func(i int) {
		if s := made[i]; !s.slow {
			n, in := bothSchemas(t, s.name, s.props)
			subjects[i] = subjectOf(t, s.name, n, in, s.limit)
		}
	})
	for i, s := range made {
		if subjects[i] == nil || len(s.inputs) == 0 {
			continue
		}
		list = append(list, &stream{subject: subjects[i], next: func(rng *rand.Rand) *input {
			return tighten(rng, subjects[i], s.changed(rng))
		}})
	}
	return list
}

// next returns an input for a version of the corpus.
func (v *version) next(rng *rand.Rand) *input {
	o := v.generator.Object(rng, generate.Class(rng.IntN(4)))
	if len(v.samples) > 0 && rng.IntN(2) == 0 {
		o = v.samples[rng.IntN(len(v.samples))]
	}
	if o == nil {
		return nil
	}
	return changed(rng, v.subject, o)
}

// changed returns a create or an update of an object, of which either side may be changed.
func changed(rng *rand.Rand, s *subject, o map[string]any) *input {
	in := &input{obj: o, budget: budget}
	switch rng.IntN(6) {
	case 0:
	case 1:
		in.obj = harm(rng, o)
	case 2:
		in.obj, in.old = harm(rng, o), o
	case 3:
		in.obj, in.old = testkit.Mutate(rng, o), o
	case 4:
		in.old = testkit.Clone(o)
	case 5:
		in.obj = testkit.Mutate(rng, o)
		in.old = harm(rng, in.obj)
	}
	return tighten(rng, s, in)
}

// tighten gives some inputs a canceled context, or a budget that is exactly
// enough, one unit less, one unit more, or random.
func tighten(rng *rand.Rand, s *subject, in *input) *input {
	if in == nil || rng.IntN(8) > 0 {
		return in
	}
	if rng.IntN(4) == 0 {
		in.cancel = true
		return in
	}
	cost := ours(s.fast, in).spent
	in.budget = []int64{max(cost, 1) - 1, cost, cost + 1, rng.Int64N(cost + 1)}[rng.IntN(4)]
	return in
}
