package hostile_test

import (
	"runtime"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit/hostile"
)

const (
	factor = 8  // by which the input grows
	limit  = 12 // by which the work may grow
	// Work below these is not compared: the first use of a table or a pool is most of it.
	fewAllocations = 2_000
	fewBytes       = 256 << 10
)

func TestVerdictsOfCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range hostile.Cases() {
		if seen[c.Name] {
			t.Errorf("%s: two cases have this name", c.Name)
		}
		seen[c.Name] = true
		run, err := c.Op(c.Input(c.N))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if got := run(t.Context()); got != c.Want && c.Want != "" {
			t.Errorf("%s: %s, want %s", c.Name, got, c.Want)
		}
	}
}

func TestAllocationsGrowWithInput(t *testing.T) {
	for _, c := range hostile.Cases() {
		small, large := allocated(t, c, c.N), allocated(t, c, factor*c.N)
		t.Logf("%-60s %9d %9d %6.1f  %11d %11d %6.1f", c.Name, small.count, large.count, ratio(large.count, small.count),
			small.bytes, large.bytes, ratio(large.bytes, small.bytes))
		if large.count > fewAllocations && large.count > uint64(most(c))*max(small.count, fewAllocations/limit) {
			t.Errorf("%s: %d allocations at %d, %d at %d", c.Name, small.count, c.N, large.count, factor*c.N)
		}
		if large.bytes > fewBytes && large.bytes > uint64(most(c))*max(small.bytes, fewBytes/limit) {
			t.Errorf("%s: %d bytes at %d, %d at %d", c.Name, small.bytes, c.N, large.bytes, factor*c.N)
		}
	}
}

func ratio(large, small uint64) float64 { return float64(large) / float64(max(small, 1)) }

// larger are the limits of cases whose work grows faster, but not with the square.
var larger = map[string]int{
	"plan/versions":                  14,  // names are sorted, and those of more versions are longer
	"parse/depth":                    15,  // the fast reader reads the small text, the library the large one
	"create yaml/depth":              100, // as above
	"notes/nodes with rules, nested": 30,  // the path of a rule in the report is as long as the rule is deep
}

// most returns by how much the work of a case may grow.
func most(c hostile.Case) int { return max(limit, larger[c.Name]) }

type allocations struct{ count, bytes uint64 }

// allocated returns what the operation allocates at size n. It runs once before, so that pools
// are filled.
func allocated(t *testing.T, c hostile.Case, n int) allocations {
	t.Helper()
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
