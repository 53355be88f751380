package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
)

// objectOutputs are the formats in which crdkit admit prints objects. In the others it
// prints findings.
func objectOutputs() []string { return []string{"yaml", "name", "diff"} }

// A printer prints verdicts in one format.
type printer struct {
	format      string
	out, errOut io.Writer
	findings    findingPrinter
	objects     objectWriter
	showChanges bool
	kinds       kindErrors
	firsts      []definition.Position // of the first object of each of the kinds
}

// newPrinter returns the printer of a format. Formats of objects print findings to errOut.
func newPrinter(format string, out, errOut io.Writer, colors bool) *printer {
	p := &printer{format: format, out: out, errOut: errOut, objects: objectWriter{out: out}}
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
	if isOfKind(v.err) && !p.perObject() { // reported once for all objects of the kind
		if p.kinds.add(v.doc, v.err) {
			p.firsts = append(p.firsts, v.issues[0].position)
		}
		return nil
	}
	if err := p.findings.print(&v.finding); err != nil || !v.admitted() {
		return err
	}
	switch p.format {
	case "yaml":
		return p.objects.yaml(v.stored.Object)
	case "name":
		_, err := fmt.Fprintf(p.out, "%s.%s/%s\n", strings.ToLower(v.gvk.Kind), v.gvk.Group, v.stored.GetName())
		return err
	case "diff":
		return p.diff(v)
	}
	return nil
}

// end prints the errors of kinds, and the end of the output.
func (p *printer) end() error {
	for kind, err := range p.kinds.all() {
		f := &finding{doc: kind.first, objects: kind.n}
		f.fail(err, nil)
		f.issues[0].position, p.firsts = p.firsts[0], p.firsts[1:]
		if err := p.findings.print(f); err != nil {
			return err
		}
	}
	return p.findings.end()
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
