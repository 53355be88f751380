package cel

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/internal/cel/celtypes"
	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testopt"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

// minFastSamples is the minimum share of evaluations on the samples of the
// corpus that the executor finishes, in percent.
const minFastSamples = 99.5

// A sampled is an object of the corpus with the programs for its version.
type sampled struct {
	path            string
	fast, reference *Program
	object          map[string]any
	defaulted       bool
}

// samples returns the samples of the corpus to which rules apply, each as it is
// written and with defaults.
func samples(t testing.TB) []sampled {
	t.Helper()
	var out []sampled
	for _, d := range testkit.FindCorpus(t).Definitions {
		compiled := make(map[string]func(path string, object map[string]any))
		for _, s := range d.Samples {
			name := s.Version()
			add, ok := compiled[name]
			if !ok {
				add = sampler(d, name, &out)
				compiled[name] = add
			}
			if add != nil {
				add(s.Path, s.Object)
			}
		}
	}
	return out
}

// sampler returns a function that adds samples of a version, nil if the version
// has no rules.
func sampler(d *testkit.Definition, version string, out *[]sampled) func(path string, object map[string]any) {
	v := d.Version(version)
	if v == nil || v.Schema == nil {
		return nil
	}
	n, errs := schema.Compile(v.Schema.OpenAPIV3Schema)
	if len(errs) > 0 || !celtypes.HasRules(n) {
		return nil
	}
	fast, _ := Compile(n)
	reference, _ := Compile(n, testopt.Reference{})
	if fast == nil || reference == nil {
		return nil
	}
	values, defaults := validation.New(n), defaulting.New(n)
	return func(path string, object map[string]any) {
		full := testkit.Clone(object)
		defaults.Default(full)
		for _, s := range []sampled{{path, fast, reference, object, false}, {path, fast, reference, full, true}} {
			if !values.Validate(s.object).BlocksRules() {
				*out = append(*out, s)
			}
		}
	}
}

// TestSamples compares the implementations on the samples of the corpus, as new
// objects and as updates without changes. It logs the evaluations that the
// executor left to cel-go, by reason.
func TestSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the rules of the corpus, which is left out with -short")
	}
	counts := map[bool]map[string]int{false: {}, true: {}}
	for _, s := range samples(t) {
		watch := watchOption(func(e evaluation) {
			counts[s.defaulted][e.where()]++
			if e.recovered > 0 {
				t.Errorf("%s: %s panicked", s.path, e.of.text)
			}
		})
		for _, opts := range [][]EvalOption{nil, {Old(testkit.Clone(s.object))}} {
			if !agree(s, watch, opts) {
				t.Errorf("%s: the two paths differ", s.path)
			}
		}
	}
	for defaulted, by := range counts {
		total := 0
		for _, n := range by {
			total += n
		}
		for _, why := range slices.Sorted(maps.Keys(by)) {
			t.Logf("with defaults %v: %5d %s", defaulted, by[why], why)
		}
		if got := share(by[finished]+by[failed], total); testkit.DefaultCorpus() && got < minFastSamples {
			t.Errorf("with defaults %v: the executor finishes %.2f%% of %d evaluations, want %.1f%%", defaulted, got, total, minFastSamples)
		}
	}
}

const (
	finished = "finished"
	failed   = "ended in an error, which the executor knew"
)

// where returns what finished an evaluation, or why the executor declined it.
func (e evaluation) where() string {
	switch {
	case e.fast && e.err == nil:
		return finished
	case e.fast:
		return failed
	case e.of.fast == nil:
		return "rule left to cel-go: " + e.of.declined
	case e.err != nil:
		return "left to cel-go: " + e.err.Error()
	}
	return "left to cel-go, which had a result"
}

// agree reports whether both implementations have the same result. It tries
// several times, because some results depend on the order of maps.
func agree(s sampled, watch EvalOption, opts []EvalOption) bool {
	first := s.fast.Eval(context.Background(), s.object, append(opts, watch)...)
	for range 20 {
		if a, b := first, s.reference.Eval(context.Background(), s.object, opts...); a.Cost == b.Cost &&
			report(a.Errors) == report(b.Errors) && report(a.Ratcheted) == report(b.Ratcheted) {
			return true
		}
		first = s.fast.Eval(context.Background(), s.object, opts...)
	}
	return false
}

func report(errs validation.ErrorList) string {
	var b strings.Builder
	for _, e := range errs {
		fmt.Fprintf(&b, "%s | %s | %s | %v | %s | %s | %d\n", e.Type, e.Field, e.Detail, e.BadValue, e.Pointer, e.SchemaPointer, e.Rule)
	}
	return b.String()
}
