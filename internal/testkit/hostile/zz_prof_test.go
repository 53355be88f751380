package hostile_test

import (
	"context"
	"os"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit/hostile"
)

func BenchmarkOne(b *testing.B) {
	for _, c := range hostile.Cases() {
		if c.Name == os.Getenv("CASE") {
			in := c.Input(c.Larger(20))
			run, err := c.Op(in)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				run(context.Background())
			}
		}
	}
}
