//go:build unix && growth

package hostile_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/internal/testkit/hostile"
)

// memoryFactor is the size of a case in this test, in small sizes of the case.
const memoryFactor = 64

func TestPeakMemory(t *testing.T) {
	program := filepath.Join(t.TempDir(), "attack")
	command(t, "go", "build", "-o", program, "./attack")
	var group sync.WaitGroup
	work := make(chan hostile.Case)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for c := range work {
				n := c.Larger(memoryFactor)
				out, err := exec.Command(program, c.Name, strconv.Itoa(n)).CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v\n%s", c.Name, err, out)
					continue
				}
				var size, milliseconds, peak int
				var verdict string
				if _, err := fmt.Sscan(string(out), &size, &verdict, &milliseconds, &peak); err != nil {
					t.Errorf("%s: %q: %v", c.Name, out, err)
					continue
				}
				t.Logf("%-60s %9d bytes %6d ms %6d MB %s", c.Name, size, milliseconds, peak>>20, verdict)
				if most := hostile.MemoryLimit(c.Input(n)); peak > most {
					t.Errorf("%s: %d MB for %d bytes of input, at most %d MB", c.Name, peak>>20, size, most>>20)
				}
			}
		})
	}
	for _, c := range hostile.Cases() {
		work <- c
	}
	close(work)
	group.Wait()
}
