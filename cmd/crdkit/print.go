package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

var outputs = []string{"yaml", "json", "jsonl", "name", "diff"}

// A printer prints verdicts in one format.
type printer struct {
	format      string
	out, errOut io.Writer
	showChanges bool
	printed     int
	unknown     skippedKinds
}

func (p *printer) print(v *verdict) error {
	if p.format == "jsonl" {
		return p.line(v)
	}
	p.reportErrors(v)
	if !v.admitted() {
		return nil
	}
	p.printed++
	switch p.format {
	case "json":
		return p.json(v)
	case "name":
		_, err := fmt.Fprintf(p.out, "%s.%s/%s\n", strings.ToLower(v.gvk.Kind), v.gvk.Group, v.stored.GetName())
		return err
	case "diff":
		return p.diff(v)
	default:
		return p.yaml(v)
	}
}

// error prints the error of something that is not an object.
func (p *printer) error(err error) { fmt.Fprintf(p.errOut, "error: %v\n", err) }

func (p *printer) warning(err error) { fmt.Fprintf(p.errOut, "Warning: %v\n", err) }

// reportErrors prints the errors and warnings of the server for the document to
// standard error.
func (p *printer) reportErrors(v *verdict) {
	if v.result != nil {
		for _, w := range v.result.Warnings {
			fmt.Fprintf(p.errOut, "Warning: %s: %s\n", v.doc.Location(), w)
		}
		if p.showChanges {
			for _, c := range v.result.Changes {
				fmt.Fprintf(p.errOut, "%s: %s\n", v.doc.Location(), c)
			}
		}
	}
	for _, note := range v.notes {
		fmt.Fprintf(p.errOut, "Note: %s: %s\n", v.doc.Location(), note)
	}
	switch {
	case v.unknown: // reported once for all objects of the kind
		p.unknown.add(v.doc)
	case v.err != nil:
		fmt.Fprintf(p.errOut, "error: %s: %v\n", v.doc.Location(), v.err)
	case v.stored == nil:
		fmt.Fprintf(p.errOut, "refused: %s: %v\n", v.doc.Location(), v.result.Err())
	}
}

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

func (p *printer) json(v *verdict) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "    ")
	return enc.Encode(v.stored.Object)
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

// A lineError is one entry of "errors" in a line of JSON.
type lineError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	BadValue any    `json:"badValue,omitempty"`
	Pointer  string `json:"pointer"`
}

type lineChange struct {
	Op      string `json:"op"`
	Pointer string `json:"pointer"`
}

type lineKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// A line is the output of -o jsonl for a document.
type line struct {
	File     string         `json:"file"`
	Document int            `json:"document"`
	GVK      lineKind       `json:"gvk"`
	Name     string         `json:"name"`
	Decided  bool           `json:"decided"`
	Admitted bool           `json:"admitted"`
	Object   map[string]any `json:"object"`
	Errors   []lineError    `json:"errors"`
	Warnings []string       `json:"warnings"`
	Changes  []lineChange   `json:"changes"`
	Cost     uint64         `json:"cost"`
}

func (p *printer) line(v *verdict) error {
	l := line{
		File:     v.doc.File,
		Document: v.doc.Number,
		GVK:      lineKind{Group: v.gvk.Group, Version: v.gvk.Version, Kind: v.gvk.Kind},
		Name:     v.name,
		Decided:  v.err == nil,
		Admitted: v.admitted(),
		Errors:   errorsOf(v),
		Warnings: []string{},
		Changes:  []lineChange{},
	}
	if v.stored != nil {
		l.Object = v.stored.Object
	}
	if v.result != nil {
		l.Warnings = append(l.Warnings, v.result.Warnings...)
		l.Cost = v.result.Cost
		for _, c := range v.result.Changes {
			l.Changes = append(l.Changes, lineChange{Op: string(c.Op), Pointer: c.Path.Pointer()})
		}
	}
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(l)
}

func errorsOf(v *verdict) []lineError {
	out := []lineError{}
	switch {
	case v.err != nil:
		return append(out, lineError{Type: "Undecided", Detail: v.err.Error()})
	case v.result == nil:
		return out
	case v.result.Refusal != nil:
		return append(out, lineError{Type: v.result.Refusal.Reason, Detail: v.result.Refusal.Message})
	}
	for _, e := range v.result.Errors {
		out = append(out, lineError{
			Type:     string(e.Type),
			Field:    e.Field,
			Detail:   e.Detail,
			BadValue: badValue(e.BadValue),
			Pointer:  e.Pointer,
		})
	}
	return out
}

// badValue returns a value that JSON can encode, nil for an omitted value.
func badValue(v any) any {
	if _, ok := v.(field.OmitValueType); ok {
		return nil
	}
	var unsupported *json.UnsupportedValueError
	if _, err := json.Marshal(v); errors.As(err, &unsupported) || err != nil {
		return fmt.Sprint(v)
	}
	return v
}
