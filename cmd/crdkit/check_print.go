package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/crdkit/crdkit/definition"
)

// A checkPrinter prints checked definitions in one format.
type checkPrinter interface {
	print(*checkedDefinition) error
	end() error // is called once, after the last finding
}

func checkOutputs() []string { return []string{"text", "json", "jsonl", "sarif", "junit", "github"} }

// newCheckPrinter returns the printer of one of checkOutputs.
func newCheckPrinter(output string, out io.Writer) checkPrinter {
	switch output {
	case "json":
		return &checkArray{out: out}
	case "jsonl":
		return checkLines{out: out}
	case "sarif":
		return newSARIF(out)
	case "junit":
		return &junitPrinter{out: out}
	case "github":
		return annotations{out: out}
	default:
		return &checkText{out: out, counts: map[string]int{}}
	}
}

// checkText prints -o text.
type checkText struct {
	out    io.Writer
	counts map[string]int
}

func (p *checkText) print(f *checkedDefinition) error {
	p.counts[f.verdict()]++
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", f.verdict(), f.doc.Location())
	if f.name != "" {
		fmt.Fprintf(&b, ": %s", f.name)
	}
	b.WriteByte('\n')
	for _, i := range f.issues {
		fmt.Fprintf(&b, "  %s\n", i.line(f.doc.File))
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

func (p *checkText) end() error {
	_, err := fmt.Fprintf(p.out, "%d accepted, %d refused, %d undecided\n", p.counts[accepted], p.counts[refused], p.counts[undecided])
	return err
}

// line returns the issue in the format of compiler messages, which editors
// parse.
func (i *issue) line(file string) string {
	return fmt.Sprintf("%s: %s: %s", positionText(file, i.position), i.level, i.message())
}

func positionText(file string, p definition.Position) string {
	if !p.IsValid() {
		return file
	}
	return file + ":" + p.String()
}

// message returns the text of the issue with its field. Only the text of an
// error names the field itself.
func (i *issue) message() string {
	text := short(i.text)
	switch {
	case i.level == levelNote:
		return fmt.Sprintf("%s: %s (%s)", i.pointer, text, i.code)
	case i.level == levelWarning && i.pointer != "":
		return fmt.Sprintf("%s: %s", i.pointer, text)
	}
	return text
}

// short cuts the middle of very long texts, such as those of errors with a
// whole schema as value.
func short(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + " ... " + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// A checkLine is the output of -o json and -o jsonl for a definition.
type checkLine struct {
	File     string         `json:"file"`
	Document int            `json:"document"`
	Name     string         `json:"name"`
	Decided  bool           `json:"decided"`
	Accepted bool           `json:"accepted"`
	Errors   []checkError   `json:"errors"`
	Warnings []checkWarning `json:"warnings"`
	Notes    []checkNote    `json:"notes"`
}

type checkError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	BadValue any    `json:"badValue"`
	Pointer  string `json:"pointer"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

type checkWarning struct {
	Text    string `json:"text"`
	Pointer string `json:"pointer"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

type checkNote struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"`
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

func checkLineOf(f *checkedDefinition) checkLine {
	l := checkLine{
		File: f.doc.File, Document: f.doc.Number, Name: f.name, Decided: f.err == nil, Accepted: f.verdict() == accepted,
		Errors: []checkError{}, Warnings: []checkWarning{}, Notes: []checkNote{},
	}
	for n, i := range f.issues {
		at := i.position
		switch {
		case f.err != nil:
			l.Errors = append(l.Errors, checkError{Type: i.code, Detail: i.text, Pointer: i.pointer, Line: at.Line, Column: at.Column})
		case i.level == levelError:
			e := f.report.Errors[n] // they come first
			l.Errors = append(l.Errors, checkError{string(e.Type), e.Field, e.Detail, badValue(e.BadValue), i.pointer, at.Line, at.Column})
		case i.level == levelWarning:
			l.Warnings = append(l.Warnings, checkWarning{i.text, i.pointer, at.Line, at.Column})
		default:
			l.Notes = append(l.Notes, checkNote{i.code, i.pointer, i.text, at.Line, at.Column})
		}
	}
	return l
}

// checkLines prints -o jsonl.
type checkLines struct{ out io.Writer }

func (p checkLines) print(f *checkedDefinition) error { return encodeJSON(p.out, checkLineOf(f), "") }

func (p checkLines) end() error { return nil }

// checkArray prints -o json. It prints each definition at once and keeps none.
type checkArray struct {
	out     io.Writer
	printed bool
}

func (p *checkArray) print(f *checkedDefinition) error {
	before := ",\n    "
	if !p.printed {
		before, p.printed = "[\n    ", true
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "    ")
	if err := enc.Encode(checkLineOf(f)); err != nil {
		return err
	}
	_, err := io.WriteString(p.out, before+strings.TrimSuffix(b.String(), "\n"))
	return err
}

func (p *checkArray) end() error {
	after := "\n]\n"
	if !p.printed {
		after = "[]\n"
	}
	_, err := io.WriteString(p.out, after)
	return err
}

// annotations prints -o github: workflow commands.
//
// See https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions.
type annotations struct{ out io.Writer }

func (p annotations) print(f *checkedDefinition) error {
	var b strings.Builder
	for _, i := range f.issues {
		level := i.level
		if level == levelNote {
			level = "notice"
		}
		fmt.Fprintf(&b, "::%s file=%s", level, annotationProperty(f.doc.File))
		if i.position.IsValid() {
			fmt.Fprintf(&b, ",line=%d,col=%d", i.position.Line, i.position.Column)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", annotationProperty(i.code), annotationText(withName(f.name, i.message())))
	}
	_, err := io.WriteString(p.out, b.String())
	return err
}

func (p annotations) end() error { return nil }

func withName(name, text string) string {
	if name == "" {
		return text
	}
	return name + ": " + text
}

func annotationText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func annotationProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(annotationText(text))
}
