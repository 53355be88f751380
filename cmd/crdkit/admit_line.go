package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/validation"
)

// A lineError is one entry of "errors" in a line of JSON.
type lineError struct {
	Type          string `json:"type"`
	Field         string `json:"field"`
	Detail        string `json:"detail"`
	BadValue      any    `json:"badValue,omitempty"`
	Pointer       string `json:"pointer"`
	Line          int    `json:"line"`
	Column        int    `json:"column"`
	Step          string `json:"step,omitempty"`
	SchemaPointer string `json:"schemaPointer,omitempty"`
	Rule          *int   `json:"rule,omitempty"`

	Explanation *lineExplanation `json:"explanation,omitempty"`
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

// A lineOrigin says where an object is in a line of JSON.
type lineOrigin struct {
	File     string `json:"file"`
	Document int    `json:"document"`
	Item     string `json:"item,omitempty"` // a pointer into the document
	Line     int    `json:"line"`           // of the document
}

func originOf(o *manifest.Object) lineOrigin {
	return lineOrigin{File: o.File, Document: o.Number, Item: o.Within, Line: o.Line}
}

// A lineHead is what a line of -o jsonl has before the errors.
type lineHead struct {
	lineOrigin
	GVK       lineKind       `json:"gvk"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name"`
	Decided   bool           `json:"decided"`
	Admitted  bool           `json:"admitted"`
	Object    map[string]any `json:"object"`
}

// A lineTail is what a line of -o jsonl has after the errors.
type lineTail struct {
	Warnings []string     `json:"warnings"`
	Notes    []string     `json:"notes,omitempty"`
	Changes  []lineChange `json:"changes"`
	Cost     uint64       `json:"cost"`
}

// writeLine implements lineWriter. It writes the errors one by one: together their texts
// may be much larger than the object.
func (v *verdict) writeLine(w io.Writer) error {
	head := lineHead{
		lineOrigin: originOf(v.doc),
		GVK:        lineKind{Group: v.gvk.Group, Version: v.gvk.Version, Kind: v.gvk.Kind},
		Namespace:  v.namespace, Name: v.object, Decided: v.err == nil, Admitted: v.admitted(),
	}
	if v.stored != nil && !v.noValues {
		head.Object = v.stored.Object
	}
	tail := lineTail{Warnings: []string{}, Notes: v.notes, Changes: []lineChange{}}
	if v.result != nil {
		tail.Warnings = append(tail.Warnings, v.result.Warnings...)
		tail.Cost = v.result.Cost
		for _, c := range v.result.Changes {
			tail.Changes = append(tail.Changes, lineChange{Op: string(c.Op), Pointer: c.Path.Pointer()})
		}
	}
	var b bytes.Buffer
	if err := encodeJSON(&b, head, ""); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("}\n"))
	b.WriteString(`,"errors":[`)
	separator := ""
	for i := range v.issues {
		if v.issues[i].level != levelError {
			continue
		}
		b.WriteString(separator)
		separator = ","
		if err := encodeJSON(&b, lineErrorOf(&v.issues[i]), ""); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1)
		if _, err := b.WriteTo(w); err != nil {
			return err
		}
	}
	b.WriteString("],")
	var rest bytes.Buffer
	if err := encodeJSON(&rest, tail, ""); err != nil {
		return err
	}
	b.Write(rest.Bytes()[1:])
	_, err := b.WriteTo(w)
	return err
}

// lineErrorOf returns an issue as an entry of "errors".
func lineErrorOf(i *issue) lineError {
	line := lineError{
		Type: i.code, Detail: i.text, Pointer: i.pointer, Line: i.position.Line, Column: i.position.Column,
		Explanation: i.explanationLine(),
	}
	if e, ok := errors.AsType[*validation.Error](i.err); ok {
		line.Field, line.Detail, line.BadValue = e.Field, e.Detail, badValue(e.BadValue)
		line.Step, line.SchemaPointer = string(e.Step), e.SchemaPointer
		if e.Rule >= 0 {
			line.Rule = &e.Rule
		}
	}
	return line
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
