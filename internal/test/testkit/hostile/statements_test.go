//go:build growth

package hostile_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

// fewStatements is the number of statements below which runs are not compared.
const fewStatements = 20_000

func TestStatementsGrowWithInput(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "statements")
	command(t, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=github.com/crdkit/crdkit/...", "-o", program, "./statements")
	counters := filepath.Join(dir, "counters")
	command(t, program, counters, strconv.Itoa(factor))

	var group sync.WaitGroup
	work := make(chan int)
	cases := hostile.Cases()
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range work {
				c := cases[i]
				small, err := executed(filepath.Join(counters, strconv.Itoa(i), "small"))
				if err != nil {
					t.Error(err)
					continue
				}
				large, err := executed(filepath.Join(counters, strconv.Itoa(i), "large"))
				if err != nil {
					t.Error(err)
					continue
				}
				t.Logf("%-60s %12d %12d %6.1f", c.Name, small, large, float64(large)/float64(max(small, 1)))
				if large > fewStatements && large > most(c)*max(small, fewStatements/limit) {
					t.Errorf("%s: %d statements at %d, %d at %d", c.Name, small, c.N, large, factor*c.N)
				}
			}
		})
	}
	for i := range cases {
		work <- i
	}
	close(work)
	group.Wait()
}

// command runs a program and fails the test if the program fails.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// executed returns how many statements of this module the counters in dir have counted.
func executed(dir string) (int, error) {
	profile := filepath.Join(dir, "profile")
	out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("covdata %s: %w\n%s", dir, err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return 0, err
	}
	sum := 0
	for scan := bufio.NewScanner(bytes.NewReader(text)); scan.Scan(); {
		// file.go:line.column,line.column statements count
		fields := strings.Fields(scan.Text())
		if len(fields) != 3 || strings.Contains(fields[0], "/testkit/") {
			continue
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return 0, err
		}
		times, err := strconv.Atoi(fields[2])
		if err != nil {
			return 0, err
		}
		sum += n * times
	}
	return sum, nil
}
