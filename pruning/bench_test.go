package pruning

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
)

// BenchmarkPrune prunes the largest sample of each definition in testdata. The sample
// has no unknown field, as most objects.
func BenchmarkPrune(b *testing.B) {
	eachSample(b, func(b *testing.B, p *Pruner, obj map[string]any) {
		for b.Loop() {
			p.Prune(obj)
		}
	})
}

// BenchmarkPruneAndReport prunes the same samples with an unknown field in spec.
func BenchmarkPruneAndReport(b *testing.B) {
	eachSample(b, func(b *testing.B, p *Pruner, obj map[string]any) {
		spec := obj["spec"].(map[string]any)
		for b.Loop() {
			spec["undeclared"] = "x"
			p.PruneAndReport(obj)
		}
	})
}

func eachSample(b *testing.B, run func(b *testing.B, p *Pruner, obj map[string]any)) {
	for _, d := range enginetest.Versions(b) {
		obj, p := d.Grow(enginetest.Size{}), New(d.Node)
		if size := len(testkit.Encode(obj)); size < 300 || size > 10_000 {
			continue // not like the objects of real definitions
		}
		p.Prune(obj)
		b.Run(d.Label(), func(b *testing.B) {
			b.ReportAllocs()
			run(b, p, obj)
		})
	}
}
