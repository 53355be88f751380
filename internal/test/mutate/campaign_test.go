package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crdkit/crdkit/internal/test/testkit"
)

// TestCampaign judges all mutants of a small module, all of them compiled into
// one binary, and compares the verdicts with recorded ones. Each verdict follows
// from the sources in testdata/sample.
func TestCampaign(t *testing.T) {
	c := campaign{dir: "testdata/sample", patterns: []string{"."}, n: 1000, patience: 2 * time.Second, log: io.Discard}
	if err := c.prepare(); err != nil {
		t.Fatal(err)
	}
	outcomes, err := c.run()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, o := range outcomes {
		fmt.Fprintf(&got, "%-9s %d: %s\n", o.verdict, o.line, o.key())
	}
	testkit.Recorded(t, "testdata/sample_outcomes.txt", got.String())
}

func TestChoose(t *testing.T) {
	var possible [][]*mutant
	for _, size := range []int{2, 10, 100} {
		var p []*mutant
		for i := range size {
			p = append(p, &mutant{kind: []string{boundary, removal}[i%2], file: new(source), start: i})
		}
		possible = append(possible, p)
	}
	starts := func(seed uint64) (list []int) {
		for i, m := range choose(possible, 31, 3, seed) {
			if m.id != i+1 {
				t.Errorf("mutant %d has the number %d", i+1, m.id)
			}
			list = append(list, m.start)
		}
		return list
	}
	first := starts(1)
	if len(first) != 2+(3+2)+(3+20) {
		t.Errorf("%d mutants, want both of the first package, 5 of the second and 23 of the third", len(first))
	}
	if diff := cmp.Diff(first, starts(1)); diff != "" {
		t.Errorf("the same seed chose others:\n%s", diff)
	}
	if cmp.Equal(first, starts(2)) {
		t.Error("another seed chose the same")
	}
}

func TestReport(t *testing.T) {
	p := &goPackage{path: module + "/pruning"}
	root := &goPackage{path: module}
	outcomeOf := func(id int, p *goPackage, v verdict, by string) outcome {
		m := &mutant{id: id, kind: removal, pkg: p, file: &source{path: "a.go"}, function: "f", line: 7, before: fmt.Sprintf("g(%d)", id)}
		return outcome{m, v, by}
	}
	reasons, err := equivalents("# comment\n\npruning f: removal: g(4) => # g does nothing\n")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	err = report(&got, []outcome{
		outcomeOf(1, p, killed, p.path), outcomeOf(2, p, hung, module), outcomeOf(3, p, survived, module),
		outcomeOf(4, p, survived, module), outcomeOf(5, root, unreached, module),
	}, reasons)
	if err != nil {
		t.Fatal(err)
	}
	const want = `3 survived a.go:7
    pruning f: removal: g(3) =>
4 survived a.go:7
    pruning f: removal: g(4) => # g does nothing
5 unreached a.go:7
    . f: removal: g(5) =>

package  mutants  killed by own tests  by others  equivalent  survived  unreached  share
pruning  4        1                    1          1           1         0          67 %
.        1        0                    0          0           0         1          0 %
all      5        1                    1          1           1         1          50 %
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestEquivalentsWantReasons(t *testing.T) {
	if _, err := equivalents("pruning f: removal: g(4) =>"); err == nil {
		t.Error("an entry without a reason was accepted")
	}
}
