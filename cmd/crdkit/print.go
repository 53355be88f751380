package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// objectOutputs are the formats in which crdkit admit prints objects. In the others it
// prints findings.
func objectOutputs() []string { return []string{"yaml", "name", "diff"} }

// A printer prints verdicts in one format.
type printer struct {
	format      string
	out, errOut io.Writer
	findings    findingPrinter
	showChanges bool
	printed     int
	unknown     skippedKinds
}

// newPrinter returns the printer of a format. Formats of objects print findings to errOut.
func newPrinter(format string, out, errOut io.Writer, colors bool) *printer {
	p := &printer{format: format, out: out, errOut: errOut}
	if slices.Contains(objectOutputs(), format) {
		p.findings = &textPrinter{out: errOut, passed: admitted, quiet: true, counts: map[string]int{}}
	} else {
		p.findings = newFindingPrinter(format, admitted, out, colors)
	}
	return p
}

// perObject reports whether the format has a line for each object.
func (p *printer) perObject() bool { return p.format == "json" || p.format == "jsonl" }

func (p *printer) print(v *verdict) error {
	if p.showChanges && v.result != nil {
		for _, c := range v.result.Changes {
			fmt.Fprintf(p.errOut, "%s: %s\n", v.doc.Location(), c)
		}
	}
	if v.unknown && !p.perObject() { // reported once for all objects of the kind
		p.unknown.add(v.doc)
		return nil
	}
	if err := p.findings.print(&v.finding); err != nil || !v.admitted() {
		return err
	}
	p.printed++
	switch p.format {
	case "yaml":
		return p.yaml(v)
	case "name":
		_, err := fmt.Fprintf(p.out, "%s.%s/%s\n", strings.ToLower(v.gvk.Kind), v.gvk.Group, v.stored.GetName())
		return err
	case "diff":
		return p.diff(v)
	}
	return nil
}

// end prints the kinds without a definition, and the end of the output.
func (p *printer) end() error {
	for _, k := range p.unknown.kinds {
		f := &finding{doc: k.first, objects: k.n}
		f.fail(fmt.Errorf("%w: %s", errUnknownKind(k.gvk), k.count()), nil)
		if err := p.findings.print(f); err != nil {
			return err
		}
	}
	return p.findings.end()
}

// error prints the error of something that is not an object.
func (p *printer) error(err error) { fmt.Fprintf(p.errOut, "error: %v\n", err) }

func (p *printer) warning(err error) { fmt.Fprintf(p.errOut, "Warning: %v\n", err) }

func (p *printer) yaml(v *verdict) error {
	text, err := yaml.Marshal(v.stored.Object)
	if err != nil {
		return err
	}
	if p.printed > 1 {
		text = append([]byte("---\n"), text...)
	}
	_, err = p.out.Write(text)
	return err
}

// diff prints the difference between the input and the stored object.
func (p *printer) diff(v *verdict) error {
	var sent any
	if err := yaml.Unmarshal(v.doc.Text, &sent); err != nil {
		return err
	}
	before, err := yaml.Marshal(sent)
	if err != nil {
		return err
	}
	after, err := yaml.Marshal(v.stored.Object)
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.out, unified(v.doc.Location(), v.doc.Location()+" as stored", string(before), string(after)))
	return err
}
