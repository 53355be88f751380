package generate_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/generate"
)

func TestGeneratorIsDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	for _, d := range testkit.FindCorpus(t).Definitions[:40] {
		g := generate.Of(d, &d.CRD.Spec.Versions[0])
		for class := generate.Valid; class <= generate.Hostile; class++ {
			one := rand.New(rand.NewPCG(7, uint64(class)))
			two := rand.New(rand.NewPCG(7, uint64(class)))
			for range 2 {
				a, b := g.Object(one, class), g.Object(two, class)
				if !bytes.Equal(testkit.Encode(a), testkit.Encode(b)) {
					t.Fatalf("%s: %v objects of the same source differ", d.Path, class)
				}
				before := testkit.Encode(a)
				changed := testkit.Encode(testkit.Mutate(one, a))
				if !bytes.Equal(before, testkit.Encode(a)) {
					t.Fatalf("%s: Mutate changed its argument", d.Path)
				}
				if !bytes.Equal(changed, testkit.Encode(testkit.Mutate(two, b))) {
					t.Fatalf("%s: Mutate of the same source differs", d.Path)
				}
			}
		}
	}
}

// TestGeneratedObjectsDecode checks that generated objects hold only values
// that a decoder returns.
func TestGeneratedObjectsDecode(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long on one goroutine; skipped with -short")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	total, definitions := 0, testkit.FindCorpus(t).Definitions
	for _, d := range definitions {
		g := generate.Of(d, &d.CRD.Spec.Versions[0])
		for i := range 4 {
			obj := g.Object(rng, generate.Class(i))
			raw := testkit.Encode(obj)
			total += len(raw)
			back, err := testkit.DecodeJSON(raw)
			if err != nil {
				t.Fatalf("%s: %v", d.Path, err)
			}
			if !bytes.Equal(testkit.Encode(back), raw) {
				t.Fatalf("%s: object changes when it is decoded:\n%s\n%s", d.Path, raw, testkit.Encode(back))
			}
		}
	}
	t.Logf("%d bytes an object", total/4/len(definitions))
}
