package oracle

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Difference is a result of crdkit that no run of upstream gave.
type Difference struct {
	Op         string // step or request
	What       string // object, paths, errors, refusal, warnings, cost, verdict, facts, panic
	Definition string
	Version    string
	Kind       string // that the definition declares
	Case       string
	Detail     string // both sides, or the parts that only one side has
	Object     []byte // the input
}

func (d Difference) String() string {
	object := string(d.Object)
	if len(object) > 2000 {
		object = object[:2000] + "..."
	}
	return fmt.Sprintf("%s: %s: %s %s, %s\n%s  object %s", d.Op, d.What, d.Definition, d.Version, d.Case, d.Detail, object)
}

// A Known is an intended difference. docs/DIFFERENCES.md describes it under the same
// name.
type Known struct {
	Name     string
	Upstream string // the behaviour of upstream
	Ours     string // the behaviour of crdkit
	Why      string
	Match    func(Difference) bool
}

// Tally gathers the differences of a run.
type Tally struct {
	mu      sync.Mutex
	known   []Known
	covered map[string]int // by name of a known difference
	counts  map[string]int // by operation and kind, of unknown differences
	found   []Difference   // of the unknown ones, the first of each kind
	failed  map[string]int // by operation, of unknown differences
	total   int            // unknown differences

	Definitions, Versions, Objects, Comparisons int
}

// examples is the number of differences of one kind that a Tally keeps.
const examples = 3

func newTally(known []Known) *Tally {
	return &Tally{known: known, covered: map[string]int{}, counts: map[string]int{}, failed: map[string]int{}}
}

func (t *Tally) add(d Difference) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, k := range t.known {
		if k.Match(d) {
			t.covered[k.Name]++
			return
		}
	}
	t.total++
	t.failed[d.Op]++
	kind := d.Op + " " + d.What
	t.counts[kind]++
	if t.counts[kind] <= examples {
		t.found = append(t.found, d)
	}
}

// patience returns the number of times that upstream runs before its answer counts
// as different. answers is the number of different answers so far. An operation with
// many differences gets fewer runs, to save time.
func (t *Tally) patience(op string, answers int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch failed := t.failed[op]; {
	case failed > 50:
		return Reruns / 20
	case failed < 3 && op == "rules" && answers > 1:
		return rulesReruns
	case failed < 3 && answers > 1:
		return randomReruns
	}
	return Reruns
}

func (t *Tally) count(versions, objects, comparisons int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Versions += versions
	t.Objects += objects
	t.Comparisons += comparisons
}

// Stale returns the known differences that did not occur.
func (t *Tally) Stale() []string {
	var names []string
	for _, k := range t.known {
		if t.covered[k.Name] == 0 {
			names = append(names, k.Name)
		}
	}
	return names
}

// Unknown describes the differences that no entry covers, "" if there are none.
func (t *Tally) Unknown() string {
	if t.total == 0 {
		return ""
	}
	var b strings.Builder
	var kinds []string
	for kind := range t.counts {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		fmt.Fprintf(&b, "%6d %s\n", t.counts[kind], kind)
	}
	slices.SortStableFunc(t.found, func(a, b Difference) int { return strings.Compare(a.Op+a.What, b.Op+b.What) })
	for _, d := range t.found {
		fmt.Fprintf(&b, "\n%s\n", d)
	}
	return b.String()
}

func (t *Tally) String() string {
	return fmt.Sprintf("oracle: %d definitions, %d versions, %d objects, %d differences (%d known)",
		t.Definitions, t.Versions, t.Objects, t.total, len(t.covered))
}
