// Statements runs the cases of package hostile, each at two sizes, and writes the
// coverage counters of each run to a directory of its own:
//
//	go build -cover -covermode=atomic -coverpkg=github.com/crdkit/crdkit/... -o statements ./internal/test/testkit/hostile/statements
//	./statements DIRECTORY FACTOR
//
// The directories are DIRECTORY/I/small and DIRECTORY/I/large, where I is the index of
// the case. The large size is FACTOR times the small one. `go tool covdata textfmt`
// reads the counters.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"

	"github.com/crdkit/crdkit/internal/test/testkit/hostile"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: statements DIRECTORY FACTOR"))
	}
	factor, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fail(err)
	}
	for i, c := range hostile.Cases() {
		dir := filepath.Join(os.Args[1], strconv.Itoa(i))
		for name, n := range map[string]int{"small": c.N, "large": factor * c.N} {
			if err := count(c, n, filepath.Join(dir, name)); err != nil {
				fail(fmt.Errorf("%s: %w", c.Name, err))
			}
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// count runs the case at size n and writes the counters of the run to dir.
func count(c hostile.Case, n int, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	run, err := c.Op(c.Input(n))
	if err != nil {
		return err
	}
	if err := coverage.ClearCounters(); err != nil {
		return err
	}
	run(context.Background())
	if err := coverage.WriteCountersDir(dir); err != nil {
		return err
	}
	return coverage.WriteMetaDir(dir)
}
