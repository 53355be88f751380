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

// printCompatMarkdown prints -o markdown: a table for each definition that changes, and
// the witnesses in details that a reader can open.
func printCompatMarkdown(out io.Writer, r *compatReport) error {
	var b strings.Builder
	counts := map[compat.Verdict]int{}
	for _, d := range r.Definitions {
		counts[d.Verdict]++
	}
	fmt.Fprintf(&b, "### crdkit compat: %s\n\n%d compatible, %d incompatible, %d unknown\n",
		r.Verdict, counts[compat.Compatible], counts[compat.Incompatible], counts[compat.Unknown])
	for i := range r.Definitions {
		if err := definitionMarkdown(&b, r, &r.Definitions[i]); err != nil {
			return err
		}
	}
	objectsMarkdown(&b, r)
	_, err := io.WriteString(out, printable(b.String()))
	return err
}

func definitionMarkdown(b *strings.Builder, r *compatReport, d *comparedDefinition) error {
	var found []*compatFinding
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Object == nil && f.Definition == d.Name && f.File == d.File && f.Code != compat.Proved {
			found = append(found, f)
		}
	}
	if len(found) == 0 && d.Error == "" {
		return nil
	}
	fmt.Fprintf(b, "\n#### %s: %s\n\n", code(d.Name), d.Verdict)
	if d.Error != "" {
		fmt.Fprintf(b, "%s\n", cell(d.Error))
		return nil
	}
	b.WriteString("| severity | version | role | field | finding | old | new |\n|---|---|---|---|---|---|---|\n")
	for _, f := range found {
		text := cell(f.what()) + " (" + string(f.Code) + ")"
		for _, note := range f.notes() {
			text += "; " + cell(note)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", f.Severity, f.versions(), f.roles(), code(f.Field), text, code(short(f.Old)), code(short(f.New)))
	}
	for _, f := range found {
		if err := witnessMarkdown(b, f.versions()+", "+f.roles(), &f.Finding); err != nil {
			return err
		}
		for _, o := range f.otherWitnesses() {
			if err := witnessMarkdown(b, f.versions()+", "+string(o.Role), o); err != nil {
				return err
			}
		}
	}
	return nil
}

// witnessMarkdown prints the witness of a finding about some versions and roles, if it has one.
func witnessMarkdown(b *strings.Builder, about string, f *compat.Finding) error {
	if f.Witness == nil {
		return nil
	}
	text, err := witnessYAML(f.Witness)
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	fmt.Fprintf(b, "\n<details><summary>%s: %s: witness</summary>\n\n%syaml\n%s%s\n\n</details>\n", about, f.Code, fence, text, fence)
	return err
}

// witnessYAML returns a witness as documents of YAML: the object, or the old and the new
// object of an update.
func witnessYAML(w *compat.Witness) (string, error) {
	text, err := yaml.Marshal(w.Object)
	if err != nil || w.Old == nil {
		return string(text), err
	}
	old, err := yaml.Marshal(w.Old)
	return "# the old object\n" + string(old) + "---\n# the new object\n" + string(text), err
}

func objectsMarkdown(b *strings.Builder, r *compatReport) {
	if r.Objects == nil {
		return
	}
	fmt.Fprintf(b, "\n#### Stored objects\n\n%d checked, %d incompatible, %d unreadable\n", r.Objects.Checked, r.Objects.Incompatible, len(r.Objects.Unreadable))
	rows := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Object == nil {
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("\n| severity | object | version | field | finding | old | new |\n|---|---|---|---|---|---|---|\n")
		}
		fmt.Fprintf(b, "| %s | %s in %s | %s | %s | %s | %s | %s |\n", f.Severity, code(f.Object.String()), code(objectAt(f.File, f.Document, f.Object.Within).Location()),
			f.versions(), code(f.Field), cell(f.Text)+" ("+string(f.Code)+")", code(short(f.Old)), code(short(f.New)))
	}
	for _, u := range r.Objects.Unreadable {
		fmt.Fprintf(b, "\n%s: %s\n", code(objectAt(u.File, u.Document, u.Within).Location()), cell(u.Error))
	}
}

// cell escapes a text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "#", "\\#", "@", "&#64;").Replace(text)
}

// code returns a text as code in a cell, "" for an empty one.
func code(text string) string {
	if text == "" {
		return ""
	}
	text = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(text)
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// longestRun returns the length of the longest run of a character.
func longestRun(text string, c byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
