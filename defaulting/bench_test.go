package defaulting

import (
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit"
	"github.com/crdkit/crdkit/internal/test/testkit/enginetest"
)

// BenchmarkDropNulls drops the nulls of a sample of each definition in testdata. It
// has none, as most objects.
func BenchmarkDropNulls(b *testing.B) {
	eachSample(b, func(b *testing.B, d *Defaulter, obj map[string]any) {
		for b.Loop() {
			d.DropNulls(obj)
		}
	})
}

// BenchmarkDefault sets the defaults of the same samples with an empty spec.
func BenchmarkDefault(b *testing.B) {
	eachSample(b, func(b *testing.B, d *Defaulter, obj map[string]any) {
		empty := map[string]any{}
		for b.Loop() {
			clear(empty)
			obj["spec"] = empty
			d.Default(obj)
		}
	})
}

func eachSample(b *testing.B, run func(b *testing.B, d *Defaulter, obj map[string]any)) {
	for _, def := range enginetest.Versions(b) {
		obj, d := def.Grow(enginetest.Size{}), New(def.Node)
		if size := len(testkit.Encode(obj)); size < 300 || size > 10_000 {
			continue // not like the objects of real definitions
		}
		b.Run(def.Label(), func(b *testing.B) {
			b.ReportAllocs()
			run(b, d, testkit.Clone(obj))
		})
	}
}
