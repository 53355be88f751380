package main

import (
	"fmt"
	"math"
	"os"
	"text/tabwriter"
)

// A table prints the measurements of one operation.
type table struct {
	op      string
	w       *tabwriter.Writer
	logs    float64 // of the ratios that count
	counted int
}

func newTable(op string) *table {
	t := &table{op: op, w: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)}
	fmt.Fprintln(t.w, "case\tupstream ns\tours ns\tratio\tours allocs/op\tours B/op\tyardstick\t")
	return t
}

func (t *table) row(name string, p *pair, m measurement) {
	mark := ""
	if p.idle {
		mark = "*"
	} else {
		t.logs += math.Log(m.ratio())
		t.counted++
	}
	fmt.Fprintf(t.w, "%s%s\t%.0f\t%.0f\t%.2fx\t%.1f\t%.0f\t%s\t\n", name, mark, m.upstream, m.ours, m.ratio(), m.allocs, m.bytes, m.yardstick)
}

// end prints the table and the mean.
func (t *table) end() error {
	if err := t.w.Flush(); err != nil {
		return err
	}
	if t.counted > 0 {
		fmt.Printf("geomean %s %.2f x\n", t.op, math.Exp(t.logs/float64(t.counted)))
	}
	return nil
}
