// Command compare measures crdkit against kube-apiserver's own code, both in
// one process and in turns.
//
//	go run -C internal/oracle ./compare [-op OP,...] [-case NAME] [-corpus DIR] [-rounds N] [-cpus N] [-profile DIR]
//
// For each operation it prints a row for each case: the times of upstream and of
// crdkit, in nanoseconds of processor time including their garbage collection, the
// ratio, the allocations of crdkit, and a yardstick if the case has one. After the
// rows it prints a line "geomean OP R x" over the cases, a line "worst OP R x (case)",
// and a line "below OP: ..." for the mean and for each case below its floor. A case
// without work, such as defaulting without declared defaults, has a star and does not
// count. The operation
// cel-compile also prints a line "kept cel-compile" with the memory that compiled
// rules hold, for each rule of the corpus, and its ratio.
//
// The command compares the results of both sides before it measures them, and ends at
// a difference. An operation that changes its object gets a new copy each time. The
// copies are made outside of the measured time.
//
// -cpus N measures something else: how many objects crdkit creates per second from
// their bytes, by 1 and by N goroutines that share a definition, with new memory for each
// output and appended to a buffer of the goroutine.
//
// -profile DIR takes a processor profile of crdkit alone for each case of the operations
// in the place of the measurements, and -case NAME is about one case only. The case all of
// projects-turn and texts is the whole corpus.
//
// -list prints the operations and their floors.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

func main() {
	ops := flag.String("op", "", "operations to measure, separated by commas; all if empty")
	corpus := flag.String("corpus", "", "directory of definitions and samples")
	rounds := flag.Int("rounds", 9, "turns that upstream and crdkit take; the median counts")
	cpus := flag.Int("cpus", 0, "measure concurrent creates on this number of processors; 0 for none")
	list := flag.Bool("list", false, "list the operations and end")
	profiles := flag.String("profile", "", "directory for processor profiles of crdkit alone, which take the place of the measurements")
	only := flag.String("case", "", "the only case; all if empty")
	flag.Parse()
	if *list {
		for _, o := range operations {
			fmt.Printf("%-15s mean %4g x, case %4g x: %s\n", o.name, o.mean, o.least, o.does)
		}
		return
	}
	if err := run(*ops, *corpus, settings{*rounds, *profiles, *only}, *cpus); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// settings say how operations with a row for each case are measured.
type settings struct {
	rounds   int
	profiles string // directory, "" to measure
	only     string // the name of a case, "" for all
}

func run(ops, corpus string, set settings, cpus int) error {
	if corpus != "" {
		if err := os.Setenv("CRDKIT_CORPUS", corpus); err != nil {
			return err
		}
	}
	dir, ok := testkit.CorpusDir()
	if !ok {
		return fmt.Errorf("no corpus in %q; name one with -corpus", dir)
	}
	if cpus > 0 {
		return compareThroughput(dir, set.rounds, cpus)
	}
	wanted, err := choose(ops)
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	var cases []*testCase
	for _, o := range wanted {
		fmt.Printf("\n%s: %s\n", o.name, o.does)
		if o.whole != nil {
			if err := o.whole(o, dir, set); err != nil {
				return err
			}
			continue
		}
		if cases == nil {
			if cases, err = loadCases(dir); err != nil {
				return err
			}
		}
		these := cases
		if o.more != nil {
			own, err := o.more(dir)
			if err != nil {
				return err
			}
			these = slices.Concat(cases, own)
		}
		if err := report(o, these, set); err != nil {
			return err
		}
		if o.name == "cel-compile" {
			if err := reportKept(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

func choose(names string) ([]operation, error) {
	if names == "" {
		return operations, nil
	}
	var out []operation
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(operations, func(o operation) bool { return o.name == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown operation %q; see -list", name)
		}
		out = append(out, operations[i])
	}
	return out, nil
}

// report measures one operation on all cases that have it and prints its table.
func report(o operation, cases []*testCase, set settings) error {
	t := newTable(o)
	for _, c := range cases {
		if set.skips(c.name) {
			continue
		}
		p, err := o.prepare(c)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.name, c.name, err)
		}
		if p == nil {
			continue
		}
		if err := t.measure(c.name, p, set); err != nil {
			return err
		}
	}
	return t.end()
}

// skips reports whether the user asked for another case.
func (s settings) skips(name string) bool { return s.only != "" && name != s.only }
