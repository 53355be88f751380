package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

const module = "github.com/crdkit/crdkit"

// An outcome is a mutant with its verdict and the package whose tests gave it.
type outcome struct {
	*mutant
	verdict verdict
	by      string
}

// key names a mutant independently of line numbers. A list of equivalent
// mutants consists of such keys.
func (m *mutant) key() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s: %s: %s => %s", short(m.pkg.path), m.function, m.kind, m.before, m.after))
}

// short is an import path without the module.
func short(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

// equivalents reads a list of mutants that change no behaviour: the key, the
// separator " # " and the reason. Empty lines and lines that start with #
// say nothing.
func equivalents(text string) (map[string]string, error) {
	reasons := make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		i := strings.LastIndex(line, " # ")
		if i < 0 {
			return nil, fmt.Errorf("no reason in %q", line)
		}
		reasons[line[:i]] = line[i+len(" # "):]
	}
	return reasons, nil
}

// A tally counts the outcomes of a package.
type tally struct {
	mutants, own, others, equivalent, survived, unreached int
}

func (t *tally) add(o outcome, equivalent bool) {
	t.mutants++
	switch {
	case (o.verdict == killed || o.verdict == hung) && o.by == o.pkg.path:
		t.own++
	case o.verdict == killed || o.verdict == hung:
		t.others++
	case equivalent:
		t.equivalent++
	case o.verdict == survived:
		t.survived++
	default:
		t.unreached++
	}
}

// share is the percentage of killed mutants among those that are not
// equivalent.
func (t *tally) share() float64 {
	if t.mutants == t.equivalent {
		return 100
	}
	return 100 * float64(t.own+t.others) / float64(t.mutants-t.equivalent)
}

// report prints the survivors and a table of the packages.
func report(w io.Writer, outcomes []outcome, equivalent map[string]string) error {
	var total tally
	byPackage := make(map[string]*tally)
	var order []string
	for _, o := range outcomes {
		name := short(o.pkg.path)
		if byPackage[name] == nil {
			byPackage[name] = new(tally)
			order = append(order, name)
		}
		reason, isEquivalent := equivalent[o.key()]
		byPackage[name].add(o, isEquivalent)
		total.add(o, isEquivalent)
		if o.verdict != survived && o.verdict != unreached {
			continue
		}
		fmt.Fprintf(w, "%d %s %s:%d\n    %s", o.id, o.verdict, o.file.path, o.line, o.key())
		if isEquivalent {
			fmt.Fprintf(w, " # %s", reason)
		}
		fmt.Fprintln(w)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\npackage\tmutants\tkilled by own tests\tby others\tequivalent\tsurvived\tunreached\tshare\n")
	row := func(name string, t *tally) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f %%\n", name, t.mutants, t.own, t.others, t.equivalent, t.survived, t.unreached, t.share())
	}
	for _, name := range order {
		row(name, byPackage[name])
	}
	row("all", &total)
	return table.Flush()
}
