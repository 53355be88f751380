package testkit

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

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

// TestGeneratedObjectsDecode checks that generated objects hold only values
// that a decoder returns.
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
