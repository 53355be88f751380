//go:build !race

package hostile_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

// Work below these is not compared: the first use of a table or a pool is most of it.
const (
	fewAllocations = 2_000
	fewBytes       = 320 << 10
)

// The race detector empties pools at random, so there is nothing to count with it.
func TestAllocationsGrowWithInput(t *testing.T) {
	for _, c := range hostile.Cases() {
		small, large := allocated(t, c, c.N), allocated(t, c, factor*c.N)
		t.Logf("%-60s %9d %9d %6.1f  %11d %11d %6.1f", c.Name, small.count, large.count, ratio(large.count, small.count),
			small.bytes, large.bytes, ratio(large.bytes, small.bytes))
		if growsTooFast(c, small, large) {
			t.Errorf("%s: %d allocations of %d bytes at %d, %d of %d bytes at %d",
				c.Name, small.count, small.bytes, c.N, large.count, large.bytes, factor*c.N)
		}
	}
}

func growsTooFast(c hostile.Case, small, large allocations) bool {
	return large.count > max(fewAllocations, uint64(most(c))*max(small.count, fewAllocations/limit)) ||
		large.bytes > max(fewBytes, uint64(most(c))*max(small.bytes, fewBytes/limit))
}

func ratio(large, small uint64) float64 { return float64(large) / float64(max(small, 1)) }

type allocations struct{ count, bytes uint64 }

// allocated returns what the operation allocates at size n. It runs once before, so that pools
// are filled. The garbage collector and a second processor would empty them or miss them.
func allocated(t *testing.T, c hostile.Case, n int) allocations {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	in := c.Input(n)
	var runs [2]hostile.Run
	for i := range runs {
		run, err := c.Op(in)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		runs[i] = run
	}
	runs[0](t.Context())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runs[1](t.Context())
	runtime.ReadMemStats(&after)
	return allocations{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}
