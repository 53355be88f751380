package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
)

// printCompat prints a report in one of the formats.
func printCompat(out io.Writer, r *compatReport, format string, colors bool) error {
	switch format {
	case "json":
		return encodeJSON(out, r, "  ")
	case "markdown":
		return printCompatMarkdown(out, r)
	case "text":
		p := &compatText{out: out, report: r, text: textPrinter{colors: colors}}
		return p.print()
	}
	printer := newFindingPrinter(format, string(compat.Compatible), out, colors)
	for _, f := range r.asFindings() {
		if err := printer.print(f); err != nil {
			return err
		}
	}
	return printer.end()
}

// compatText prints -o text.
type compatText struct {
	out    io.Writer
	report *compatReport
	text   textPrinter // for colors
	err    error
}

func (p *compatText) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *compatText) print() error {
	counts := map[compat.Verdict]int{}
	for i := range p.report.Definitions {
		d := &p.report.Definitions[i]
		counts[d.Verdict]++
		p.definition(d)
	}
	p.objects()
	p.printf("%d compatible, %d incompatible, %d unknown\n", counts[compat.Compatible], counts[compat.Incompatible], counts[compat.Unknown])
	return p.err
}

func (p *compatText) definition(d *comparedDefinition) {
	name := ""
	if d.Name != "" {
		name = ": " + d.Name
	}
	p.printf("%s: %s\n", p.text.paint(string(d.Verdict)), printable(location(d.File, d.Document, "")+name))
	if d.Error != "" {
		p.printf("  %s: %s\n", p.text.paint(levelError), printable(short(d.Error)))
		return
	}
	var proved []*compatFinding
	for i := range p.report.Findings {
		f := &p.report.Findings[i]
		switch {
		case f.Object != nil || f.Definition != d.Name || f.File != d.File:
		case f.Code == compat.Proved:
			proved = append(proved, f)
		default:
			p.finding(f)
		}
	}
	for _, f := range proved {
		p.printf("  proved: %s\n", printable(f.message()))
	}
}

func (p *compatText) finding(f *compatFinding) {
	at := positionText(f.File, definition.Position{Line: f.Line, Column: f.Column})
	p.printf("  %s: %s: %s (%s)\n", printable(at), p.text.paint(levelOf(f.Severity)), printable(f.message()), f.Code)
	for _, note := range f.notes() {
		p.printf("    %s\n", printable(short(note)))
	}
	p.evidence(&f.Finding)
	for _, o := range f.otherWitnesses() {
		p.printf("    %s:\n", o.Role)
		p.evidence(o)
	}
}

// evidence prints what the definitions answer, and the witness.
func (p *compatText) evidence(f *compat.Finding) {
	inLine := strings.NewReplacer("\n", " ", "\r", " ")
	for _, line := range []string{withLabel("old", inLine.Replace(short(f.Old))), withLabel("new", inLine.Replace(short(f.New)))} {
		if line != "" {
			p.printf("    %s\n", printable(line))
		}
	}
	if w := f.Witness; w != nil {
		if w.Old != nil {
			p.object("witness, the old object", w.Old)
			p.object("witness, the new object", w.Object)
		} else {
			p.object("witness", w.Object)
		}
	}
}

// object prints an object as YAML. Indented YAML is YAML, so that it can be copied.
func (p *compatText) object(label string, obj map[string]any) {
	text, err := yaml.Marshal(obj)
	if err != nil {
		p.err = err
		return
	}
	p.printf("    %s:\n", label)
	for line := range bytes.Lines(text) {
		p.printf("      %s", printable(string(line)))
	}
}

// objects prints the stored objects that do not survive, and how many do.
func (p *compatText) objects() {
	r := p.report
	if r.Objects == nil {
		return
	}
	last := ""
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Object == nil {
			continue
		}
		if at := location(f.File, f.Document, f.Object.Within); at != last {
			last = at
			p.printf("%s: %s: %s\n", p.text.paint(string(compat.Incompatible)), printable(at), printable(f.Object.String()))
		}
		p.finding(f)
	}
	for _, u := range r.Objects.Unreadable {
		p.printf("%s: %s\n  %s: %s\n", p.text.paint(string(compat.Unknown)), printable(location(u.File, u.Document, u.Within)), p.text.paint(levelError), printable(short(u.Error)))
	}
	p.printf("%d objects checked, %d incompatible, %d unreadable", r.Objects.Checked, r.Objects.Incompatible, len(r.Objects.Unreadable))
	for _, kind := range slices.Sorted(maps.Keys(r.Objects.PassedOver)) {
		p.printf(", %d %s passed over", r.Objects.PassedOver[kind], printable(kind))
	}
	p.printf("\n")
}
