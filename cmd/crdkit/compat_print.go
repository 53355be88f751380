package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/compat"
)

// printCompat prints a report in one of the formats.
func printCompat(out io.Writer, r *compatReport, format string, colors bool) error {
	switch format {
	case "json":
		return encodeJSON(out, r, "  ")
	case "markdown":
		return printCompatMarkdown(out, r)
	}
	printer := newFindingPrinter(format, string(compat.Compatible), out, colors)
	for _, f := range r.asFindings(format == "text") {
		if err := printer.print(f); err != nil {
			return err
		}
	}
	if format == "text" {
		_, err := io.WriteString(out, printable(r.counted()))
		return err
	}
	return printer.end()
}

// counted returns the lines with the counts of -o text.
func (r *compatReport) counted() string {
	var b strings.Builder
	if o := r.Objects; o != nil {
		fmt.Fprintf(&b, "%d objects checked, %d incompatible, %d unreadable", o.Checked, o.Incompatible, len(o.Unreadable))
		for _, kind := range slices.Sorted(maps.Keys(o.PassedOver)) {
			fmt.Fprintf(&b, ", %d %s passed over", o.PassedOver[kind], kind)
		}
		b.WriteString("\n")
	}
	counts := map[compat.Verdict]int{}
	for _, d := range r.Definitions {
		counts[d.Verdict]++
	}
	fmt.Fprintf(&b, "%d compatible, %d incompatible, %d unknown\n", counts[compat.Compatible], counts[compat.Incompatible], counts[compat.Unknown])
	return b.String()
}

// details returns the lines of text about a finding: its notes, what the definitions answer,
// and the witnesses.
func (f *compatFinding) details() []string {
	var lines []string
	for _, note := range f.notes() {
		lines = append(lines, short(note))
	}
	lines = append(lines, evidence(&f.Finding)...)
	for _, o := range f.otherWitnesses() {
		lines = append(lines, string(o.Role)+":")
		lines = append(lines, evidence(o)...)
	}
	return lines
}

// evidence returns what the definitions answer, and the witness as YAML. Indented YAML is
// YAML, so that it can be copied.
func evidence(f *compat.Finding) []string {
	var lines []string
	inLine := strings.NewReplacer("\n", " ", "\r", " ")
	for _, line := range []string{withLabel("old", inLine.Replace(short(f.Old))), withLabel("new", inLine.Replace(short(f.New)))} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	object := func(label string, obj map[string]any) {
		text, err := yaml.Marshal(obj)
		if err != nil {
			text = []byte(err.Error())
		}
		lines = append(lines, label+":")
		for line := range strings.Lines(string(text)) {
			lines = append(lines, "  "+strings.TrimSuffix(line, "\n"))
		}
	}
	switch w := f.Witness; {
	case w == nil:
	case w.Old == nil:
		object("witness", w.Object)
	default:
		object("witness, the old object", w.Old)
		object("witness, the new object", w.Object)
	}
	return lines
}
