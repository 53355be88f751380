package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/manifest"
)

// A compatReport is the output of -o json.
type compatReport struct {
	Verdict     compat.Verdict       `json:"verdict"`
	Shard       string               `json:"shard,omitempty"`
	Definitions []comparedDefinition `json:"definitions"`
	Objects     *objectCounts        `json:"objects,omitempty"`
	Findings    []compatFinding      `json:"findings"`
}

// A comparedDefinition is a definition of one side or both.
type comparedDefinition struct {
	Name     string         `json:"name"`
	Verdict  compat.Verdict `json:"verdict"`
	File     string         `json:"file"`
	Document int            `json:"document"`
	Old      string         `json:"old,omitempty"`   // the location of the old definition
	Error    string         `json:"error,omitempty"` // why there is no comparison
}

// A compatFinding is a finding with its place, and with the object if it is about one.
type compatFinding struct {
	Definition string      `json:"definition"`
	File       string      `json:"file"`
	Document   int         `json:"document"`
	Object     *objectName `json:"object,omitempty"`
	compat.Finding
	Accepted string `json:"accepted,omitempty"` // the reason
}

// An objectName is a stored object.
type objectName struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Within    string `json:"within,omitempty"` // its list, as a JSON Pointer
}

func (o *objectName) String() string {
	if o.Namespace != "" {
		return fmt.Sprintf("%s %s/%s", o.Kind, o.Namespace, o.Name)
	}
	return o.Kind + " " + o.Name
}

// objectCounts counts stored objects.
type objectCounts struct {
	Checked      int            `json:"checked"`
	Incompatible int            `json:"incompatible"`
	Unreadable   []unreadObject `json:"unreadable"`
	PassedOver   map[string]int `json:"passedOver"` // objects of other kinds
}

// An unreadObject is a document that cannot be checked.
type unreadObject struct {
	File     string `json:"file"`
	Document int    `json:"document"`
	Within   string `json:"within,omitempty"`
	Error    string `json:"error"`
}

// location returns the place of a document, or of an object in it, in messages.
func location(file string, document int, within string) string {
	o := &manifest.Object{Document: &manifest.Document{File: file, Number: document}, Within: within}
	return o.Location()
}

// counts reports whether a finding counts in verdicts.
func (f *compatFinding) counts() bool { return f.Accepted == "" && f.Verdict != compat.Compatible }

// conclude sets the verdicts.
func (r *compatReport) conclude() {
	worst := map[string]compat.Verdict{}
	r.Verdict = compat.Compatible
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.counts() {
			continue
		}
		r.Verdict = worse(r.Verdict, f.Verdict)
		if f.Object == nil {
			worst[f.Definition] = worse(worst[f.Definition], f.Verdict)
		}
	}
	for i := range r.Definitions {
		d := &r.Definitions[i]
		d.Verdict = worse(compat.Compatible, worst[d.Name])
		if d.Error != "" {
			d.Verdict = compat.Unknown
			r.Verdict = worse(r.Verdict, compat.Unknown)
		}
	}
	if r.Objects != nil && len(r.Objects.Unreadable) > 0 {
		r.Verdict = worse(r.Verdict, compat.Unknown)
	}
}

func worse(a, b compat.Verdict) compat.Verdict {
	order := []compat.Verdict{"", compat.Compatible, compat.Unknown, compat.Incompatible}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// exitCode returns the exit code if more than errors fail.
func (r *compatReport) exitCode(failOn []string) int {
	code := exitOK
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Accepted != "":
		case f.Verdict == compat.Unknown && slices.Contains(failOn, "unknown"):
			code = max(code, exitUndecided)
		case f.Severity == compat.Error, f.Severity == compat.Warning && slices.Contains(failOn, "warning"):
			code = max(code, exitRefused)
		}
	}
	for _, d := range r.Definitions {
		if d.Error != "" {
			code = exitUndecided
		}
	}
	if r.Objects != nil && len(r.Objects.Unreadable) > 0 {
		code = exitUndecided
	}
	return code
}

// levelOf returns the level of issues with a severity.
func levelOf(s compat.Severity) string {
	if s == compat.Info {
		return levelNote
	}
	return string(s)
}

// message returns a finding as one sentence: whom it concerns, where, and what.
func (f *compatFinding) message() string {
	var parts []string
	versions := f.Version
	if f.OldVersion != "" {
		versions = f.OldVersion + " as " + versions
	}
	if versions != "" {
		parts = append(parts, versions)
	}
	text := strings.Join(append(parts, string(f.Role)), ", ") + ": "
	if f.Field != "" {
		text += f.Field + ": "
	}
	return text + f.Text
}

// note returns what a finding says besides its message, "" if nothing.
func (f *compatFinding) note() string {
	var notes []string
	if f.Ratcheted {
		notes = append(notes, "saved by ratcheting")
	}
	if f.Accepted != "" {
		notes = append(notes, "accepted: "+f.Accepted)
	}
	return strings.Join(notes, "; ")
}

// asFindings returns the report as findings for the printers of other commands: one for
// each definition and object.
func (r *compatReport) asFindings() []*finding {
	var all []*finding
	at := func(name, file string, document int) *finding {
		f := &finding{doc: &manifest.Object{Document: &manifest.Document{File: file, Number: document}}, name: name}
		all = append(all, f)
		return f
	}
	add := func(f *finding, c *compatFinding) {
		text := c.message()
		for _, part := range []string{c.note(), withLabel("old", c.Old), withLabel("new", c.New)} {
			if part != "" {
				text += "; " + part
			}
		}
		f.issues = append(f.issues, issue{
			level: levelOf(c.Severity), code: string(c.Code), text: text, named: true, pointer: c.Pointer,
			position: definition.Position{Line: c.Line, Column: c.Column},
		})
	}
	for _, d := range r.Definitions {
		f := at(d.Name, d.File, d.Document)
		if d.Error != "" {
			f.fail(fmt.Errorf("%s", d.Error))
		}
		for i := range r.Findings {
			if c := &r.Findings[i]; c.Object == nil && c.Definition == d.Name && c.File == d.File && d.Error == "" && c.Code != compat.Proved {
				add(f, c)
			}
		}
	}
	for i := range r.Findings {
		if c := &r.Findings[i]; c.Object != nil {
			add(at(c.Object.String(), c.File, c.Document), c)
		}
	}
	if r.Objects != nil {
		for _, u := range r.Objects.Unreadable {
			at("", u.File, u.Document).fail(fmt.Errorf("%s", u.Error))
		}
	}
	return all
}

func withLabel(label, text string) string {
	if text == "" {
		return ""
	}
	return label + ": " + text
}

// readReport decodes a report that -o json has printed.
func readReport(text []byte) (*compatReport, error) {
	r := &compatReport{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if r.Verdict == "" {
		return nil, fmt.Errorf("not a report of crdkit compat -o json")
	}
	return r, nil
}
