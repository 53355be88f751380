package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// table returns the operations that have a mean as a table of Markdown.
func table(measured []operation) []byte {
	var b bytes.Buffer
	b.WriteString("| operation | `-op` | times as fast | lowest case | cases | allocations of crdkit |\n|---|---|--:|---|--:|---|\n")
	for _, o := range measured {
		if o.mean == 0 {
			continue
		}
		label := labels[o.name]
		if label == "" {
			label = o.does
		}
		cases, allocations := "", ""
		if o.cases > 0 {
			cases, allocations = fmt.Sprint(o.cases), between(slices.Min(o.allocs), slices.Max(o.allocs))
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s: %s | %s | %s |\n", label, o.name, times(o.mean), strings.ReplaceAll(o.worstCase, "|", `\|`), times(o.worst), cases, allocations)
	}
	return b.Bytes()
}

// times returns a ratio with two digits or more.
func times(ratio float64) string {
	if ratio < 9.95 {
		return fmt.Sprintf("%.1f", ratio)
	}
	return fmt.Sprintf("%.0f", ratio)
}

func between(least, most float64) string {
	a, b := fmt.Sprintf("%.0f", least), fmt.Sprintf("%.0f", most)
	if a == b {
		return a
	}
	return a + " to " + b
}
