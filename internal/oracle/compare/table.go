package main

import (
	"fmt"
	"math"
	"os"
	"text/tabwriter"
)

// A table prints the measurements of one operation.
type table struct {
	operation
	w       *tabwriter.Writer
	logs    float64 // of the ratios that count
	counted int
	worst   row
	below   []row // that are below the floor of a case
}

// A row is the ratio of a case.
type row struct {
	name  string
	ratio float64
}

func newTable(o operation) *table {
	t := &table{operation: o, w: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintln(t.w, "case\tupstream ns\tours ns\tratio\tours allocs/op\tours B/op\tyardstick\t")
	return t
}

// measure adds the row of a case, or writes the profile of it that set asks for. It does
// neither if set asks for another case.
func (t *table) measure(name string, p *pair, set settings) error {
	switch {
	case set.skips(name):
		return nil
	case set.profiles != "":
		return profile(set.profiles, t.name, name, p)
	}
	t.row(name, p, measure(p, set.rounds))
	return nil
}

func (t *table) row(name string, p *pair, m measurement) {
	mark := ""
	if p.idle {
		mark = "*"
	} else {
		t.count(row{name, m.ratio()})
	}
	fmt.Fprintf(t.w, "%s%s\t%.0f\t%.0f\t%.2fx\t%.1f\t%.0f\t%s\t\n", name, mark, m.upstream, m.ours, m.ratio(), m.allocs, m.bytes, m.yardstick)
}

// count adds the ratio of a case that has work.
func (t *table) count(r row) {
	t.logs += math.Log(r.ratio)
	if t.counted == 0 || r.ratio < t.worst.ratio {
		t.worst = r
	}
	if r.ratio < t.least {
		t.below = append(t.below, r)
	}
	t.counted++
}

// end prints the table, the mean, the worst case, and what is below its floor.
func (t *table) end() error {
	if err := t.w.Flush(); err != nil {
		return err
	}
	if t.counted == 0 {
		return nil
	}
	mean := math.Exp(t.logs / float64(t.counted))
	fmt.Printf("geomean %s %.2f x\n", t.name, mean)
	fmt.Printf("worst %s %.2f x (%s)\n", t.name, t.worst.ratio, t.worst.name)
	if mean < t.mean {
		fmt.Printf("below %s: geomean %.2f x, floor %g x\n", t.name, mean, t.mean)
	}
	for _, r := range t.below {
		fmt.Printf("below %s: %s %.2f x, floor %g x\n", t.name, r.name, r.ratio, t.least)
	}
	return nil
}
