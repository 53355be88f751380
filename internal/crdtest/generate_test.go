package crdtest

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

var patternTests = []string{
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`,
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
	`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
	`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`,
	`^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$`,
	`^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?)$`,
	`^\d{3}-\d{2,4}$`,
	`^(?i)abc$`,
	`^https?://[^/]+(/.*)?$`,
	`^.{3,9}$`,
}

func TestPatternText(t *testing.T) {
	r := &run{Generator: NewGenerator(Target{}), rng: rand.New(rand.NewPCG(1, 2))}
	for _, pattern := range patternTests {
		hits := 0
		for range 100 {
			if matches(pattern, r.matching(pattern, 1, 63)) {
				hits++
			}
		}
		if hits < 95 {
			t.Errorf("%s: %d of 100 texts match", pattern, hits)
		}
	}
	if n := utf8.RuneCountInString(r.matching(`^[a-z]{20,}$`, 40, 50)); n < 40 || n > 50 {
		t.Errorf("text of %d runes, want 40 to 50", n)
	}
}

func TestGeneratorIsDeterministic(t *testing.T) {
	for _, d := range FindCorpus(t).Definitions[:40] {
		g := generatorOf(d, 0)
		for class := Valid; class <= Hostile; class++ {
			one := rand.New(rand.NewPCG(7, uint64(class)))
			two := rand.New(rand.NewPCG(7, uint64(class)))
			for range 5 {
				a, b := g.Object(one, class), g.Object(two, class)
				if !bytes.Equal(Encode(a), Encode(b)) {
					t.Fatalf("%s: %v objects of the same source differ", d.Path, class)
				}
				before := Encode(a)
				changed := Encode(Mutate(one, a))
				if !bytes.Equal(before, Encode(a)) {
					t.Fatalf("%s: Mutate changed its argument", d.Path)
				}
				if !bytes.Equal(changed, Encode(Mutate(two, b))) {
					t.Fatalf("%s: Mutate of the same source differs", d.Path)
				}
			}
		}
	}
}

// TestGeneratedObjectsDecode shows that objects hold only what a decoder makes.
func TestGeneratedObjectsDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	total := 0
	for _, d := range FindCorpus(t).Definitions {
		g := generatorOf(d, 0)
		for i := range 8 {
			obj := g.Object(rng, Class(i%4))
			raw := Encode(obj)
			total += len(raw)
			back, err := DecodeJSON(raw)
			if err != nil {
				t.Fatalf("%s: %v", d.Path, err)
			}
			if !bytes.Equal(Encode(back), raw) {
				t.Fatalf("%s: object changes when it is decoded:\n%s\n%s", d.Path, raw, Encode(back))
			}
		}
	}
	t.Logf("%d bytes an object", total/8/len(FindCorpus(t).Definitions))
}

func generatorOf(d *Definition, version int) *Generator {
	v := d.CRD.Spec.Versions[version]
	target := Target{
		Group: d.CRD.Spec.Group, Version: v.Name, Kind: d.CRD.Spec.Names.Kind,
		Namespaced: d.CRD.Spec.Scope == "Namespaced",
	}
	if v.Schema != nil {
		target.Schema = v.Schema.OpenAPIV3Schema
	}
	var samples []map[string]any
	for _, s := range d.Samples {
		samples = append(samples, s.Object)
	}
	return NewGenerator(target, samples...)
}
