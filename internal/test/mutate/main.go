// Command mutate measures how much the tests of this module notice.
//
// It chooses mutants of the engines at random: positions where one operator, one
// constant, one result or one statement differs. Then it runs the tests of the
// mutant's package, those of the packages that show most of the behaviour
// (-with), until one fails. A mutant that no test notices has survived: either it changes no
// behaviour (it is equivalent), or a test is missing.
//
//	go run ./internal/test/mutate -n 200 -seed 1
//	go run ./internal/test/mutate -n 50 -pkg ./pruning,./defaulting -with ""
//	go run ./internal/test/mutate -seed 1 -only 17,33
//
// All mutants are compiled into the test binaries at once, by go build
// -overlay, and an environment variable switches one on. So each test binary is
// compiled once. Each test first runs without a mutant and records which ones
// it reaches; a mutant is then run only against the tests that reach it.
//
// The tests see no corpus of real definitions, so the result is what a clone of
// the repository notices. Survivors that are equivalent stand, with a reason,
// in testdata/equivalent.txt.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// noEngines are the packages that serve tests, developers or the command.
var noEngines = []string{
	"cmd/crdkit", "conversion/conversiontest", "internal/test/apicheck", "internal/test/depcheck",
	"internal/text/jsondiff", "internal/kube/kubectl", "internal/text/manifest", "internal/test/mutate", "internal/test/release",
	"internal/test/testkit", "internal/test/testkit/enginetest", "internal/test/testkit/fuzz", "internal/test/testkit/generate", "internal/test/testkit/hostile",
	"internal/test/testkit/hostile/attack", "internal/test/testkit/hostile/statements",
}

func main() {
	n := flag.Int("n", 200, "number of mutants")
	least := flag.Int("least", 3, "mutants that each package gets at least")
	seed := flag.Uint64("seed", 1, "of the random choice")
	patterns := flag.String("pkg", "", "packages whose sources are changed, with commas; none means all engines")
	only := flag.String("only", "", "numbers of the mutants to run, with commas; none means all")
	with := flag.String("with", "./validation,./validation/cel,.,./cmd/crdkit,./explanation", "packages whose tests run after those of the mutant's own, with commas")
	list := flag.Bool("list", false, "print the chosen mutants and run nothing")
	known := flag.String("equivalent", "internal/test/mutate/testdata/equivalent.txt", "list of equivalent mutants")
	flag.Parse()
	c := campaign{dir: ".", n: *n, least: *least, seed: *seed, patterns: []string{"./..."}, except: noEngines, patience: 20 * time.Second, log: os.Stderr}
	if *patterns != "" {
		c.patterns, c.except = strings.Split(*patterns, ","), nil
	}
	if *with != "" {
		c.common = strings.Split(*with, ",")
	}
	for number := range strings.FieldsFuncSeq(*only, func(r rune) bool { return r == ',' }) {
		id, err := strconv.Atoi(number)
		exitIf(err)
		c.only = append(c.only, id)
	}
	text, err := os.ReadFile(*known)
	exitIf(err)
	reasons, err := equivalents(string(text))
	exitIf(err)
	exitIf(c.prepare())
	if *list {
		for _, m := range c.chosen {
			fmt.Printf("%d %s:%d\n    %s\n", m.id, m.file.path, m.line, m.key())
		}
		return
	}
	outcomes, err := c.run()
	exitIf(err)
	exitIf(report(os.Stdout, outcomes, reasons))
}

func exitIf(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}
