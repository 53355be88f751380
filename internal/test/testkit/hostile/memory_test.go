//go:build unix && growth

package hostile_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

// memoryFactor is the size of a case in this test, in small sizes of the case.
const memoryFactor = 64

// attempts is how often a case may run. The memory that a process takes besides what the
// operation needs depends on when the collector runs, which is random: the smallest peak
// counts.
const attempts = 3

func TestPeakMemory(t *testing.T) {
	program := filepath.Join(t.TempDir(), "attack")
	command(t, "go", "build", "-o", program, "./attack")
	var group sync.WaitGroup
	work := make(chan hostile.Case)
	var mu sync.Mutex
	var failed []string // reported after the rows of all cases
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for c := range work {
				if err := peakMemory(t, program, c); err != nil {
					mu.Lock()
					failed = append(failed, fmt.Sprintf("%s: %v", c.Name, err))
					mu.Unlock()
				}
			}
		})
	}
	for _, c := range hostile.Cases() {
		work <- c
	}
	close(work)
	group.Wait()
	for _, f := range failed {
		t.Error(f)
	}
}

// peakMemory runs a case in a process of its own. It is an error if the process takes more
// memory than it may in all attempts.
func peakMemory(t *testing.T, program string, c hostile.Case) error {
	n := c.Larger(memoryFactor)
	most := hostile.MemoryLimit(c.Input(n))
	var peaks []string
	for range attempts {
		out, err := exec.Command(program, c.Name, strconv.Itoa(n)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
		var size, milliseconds, peak int
		var verdict string
		if _, err := fmt.Sscan(string(out), &size, &verdict, &milliseconds, &peak); err != nil {
			return fmt.Errorf("%q: %w", out, err)
		}
		t.Logf("%-60s %9d bytes %6d ms %6d MB %s", c.Name, size, milliseconds, peak>>20, verdict)
		if peak <= most {
			return nil
		}
		peaks = append(peaks, fmt.Sprintf("%.1f", float64(peak)/(1<<20)))
	}
	return fmt.Errorf("%s MB, want at most %.1f", strings.Join(peaks, ", "), float64(most)/(1<<20))
}
