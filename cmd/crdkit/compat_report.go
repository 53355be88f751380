package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/manifest"
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

// objectAt returns a document, or an object in it, for its location in messages.
func objectAt(file string, document int, within string) *manifest.Object {
	return &manifest.Object{Document: &manifest.Document{File: file, Number: document}, Within: within}
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

// message returns a finding as one sentence: whom it concerns, where, and what.
func (f *compatFinding) message() string {
	var parts []string
	if versions := f.versions(); versions != "" {
		parts = append(parts, versions)
	}
	text := strings.Join(append(parts, f.roles()), ", ") + ": "
	if f.Field != "" {
		text += f.Field + ": "
	}
	return text + f.what()
}

// versions returns the version, after the one whose objects are served at it.
func (f *compatFinding) versions() string {
	if f.OldVersion != "" {
		return f.OldVersion + " as " + f.Version
	}
	return f.Version
}

// what returns the text of a finding, and its effect on the witness.
func (f *compatFinding) what() string {
	if f.Effect == "" {
		return f.Text
	}
	return f.Text + ": " + f.Effect
}

// roles lists whom a finding concerns.
func (f *compatFinding) roles() string {
	roles := []string{string(f.Role)}
	for i := range f.Also {
		if role := string(f.Also[i].Role); !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	return inEnglishAnd(roles)
}

// inEnglishAnd lists what all holds.
func inEnglishAnd(of []string) string {
	last := len(of) - 1
	if last == 0 {
		return of[0]
	}
	return strings.Join(of[:last], ", ") + " and " + of[last]
}

// also returns the parts of Also that satisfy a condition.
func (f *compatFinding) also(condition func(*compat.Finding) bool) []*compat.Finding {
	var parts []*compat.Finding
	for i := range f.Also {
		if condition(&f.Also[i]) {
			parts = append(parts, &f.Also[i])
		}
	}
	return parts
}

// otherPlaces returns the parts of a finding about other fields.
func (f *compatFinding) otherPlaces() []*compat.Finding {
	return f.also(func(o *compat.Finding) bool { return o.Role == f.Role })
}

// otherRoles returns the parts of a finding about the same place for other roles.
func (f *compatFinding) otherRoles() []*compat.Finding {
	return f.also(func(o *compat.Finding) bool { return o.Role != f.Role && o.Pointer == f.Pointer && o.Field == f.Field })
}

// otherWitnesses returns the parts for other roles that have another witness.
func (f *compatFinding) otherWitnesses() []*compat.Finding {
	return slices.DeleteFunc(f.otherRoles(), func(o *compat.Finding) bool { return reflect.DeepEqual(o.Witness, f.Witness) })
}

// mostPlaces is how many other fields of a finding a line lists.
const mostPlaces = 5

// others lists the other fields of a finding as a line does, "" if there are none.
func (f *compatFinding) others() string {
	places := f.otherPlaces()
	var texts []string
	for _, o := range places[:min(len(places), mostPlaces)] {
		texts = append(texts, fmt.Sprintf("%s (%s)", cmp.Or(o.Field, "the object"), definition.Position{Line: o.Line, Column: o.Column}))
	}
	if more := len(places) - mostPlaces; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	if len(texts) == 0 {
		return ""
	}
	return inEnglishAnd(texts)
}

// notes returns what a finding says besides its message.
func (f *compatFinding) notes() []string {
	const saved = "saved by ratcheting"
	var notes []string
	if f.Ratcheted {
		notes = append(notes, saved)
	}
	for _, o := range f.otherRoles() {
		switch {
		case o.Ratcheted && !f.Ratcheted:
			notes = append(notes, fmt.Sprintf("%s: %s, %s", o.Role, o.Effect, saved))
		case o.Effect != f.Effect:
			notes = append(notes, fmt.Sprintf("%s: %s", o.Role, o.Effect))
		}
	}
	if f.Accepted != "" {
		notes = append(notes, "accepted: "+f.Accepted)
	}
	if others := f.others(); others != "" {
		notes = append(notes, "also: "+others)
	}
	return notes
}

// asFindings returns the report as findings: one for each definition and object. In text
// the details of an issue are lines, otherwise they are part of its message, without witnesses.
func (r *compatReport) asFindings(text bool) []*finding {
	var all []*finding
	at := func(name string, verdict compat.Verdict, doc *manifest.Object) *finding {
		f := &finding{doc: doc, name: name, word: string(verdict)}
		all = append(all, f)
		return f
	}
	for _, d := range r.Definitions {
		f := at(d.Name, d.Verdict, objectAt(d.File, d.Document, ""))
		if d.Error != "" {
			f.fail(errors.New(d.Error))
			continue
		}
		for i := range r.Findings {
			switch c := &r.Findings[i]; {
			case c.Object != nil || c.Definition != d.Name || c.File != d.File:
			case c.Code == compat.Proved:
				f.more = append(f.more, "proved: "+c.message())
			default:
				f.issues = append(f.issues, c.asIssue(text))
			}
		}
	}
	var last *finding
	for i := range r.Findings {
		c := &r.Findings[i]
		if c.Object == nil {
			continue
		}
		doc := objectAt(c.File, c.Document, c.Object.Within)
		if last == nil || last.doc.Location() != doc.Location() {
			last = at(c.Object.String(), compat.Incompatible, doc)
		}
		last.issues = append(last.issues, c.asIssue(text))
	}
	if r.Objects != nil {
		for _, u := range r.Objects.Unreadable {
			at("", compat.Unknown, objectAt(u.File, u.Document, u.Within)).fail(errors.New(u.Error))
		}
	}
	return all
}

func (f *compatFinding) asIssue(text bool) issue {
	i := issue{
		level: string(f.Severity), code: string(f.Code), named: true, pointer: f.Pointer,
		position: definition.Position{Line: f.Line, Column: f.Column},
	}
	for _, o := range f.otherPlaces() {
		i.also = append(i.also, place{o.Pointer, definition.Position{Line: o.Line, Column: o.Column}})
	}
	if text {
		i.text, i.details = fmt.Sprintf("%s (%s)", f.message(), f.Code), f.details()
		return i
	}
	parts := append([]string{f.message()}, f.notes()...)
	for _, part := range []string{withLabel("old", f.Old), withLabel("new", f.New)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	i.text = strings.Join(parts, "; ")
	return i
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

// A compatConfig is the part of .crdkit.yaml that only crdkit compat reads.
type compatConfig struct {
	// Accepted are findings that do not count.
	Accepted []*acceptance `json:"accepted"`
}

// An acceptance is a finding that does not count, for a reason. A field that is empty
// stands for any value.
type acceptance struct {
	Code       string `json:"code"`
	Definition string `json:"definition"`
	Version    string `json:"version"`
	Role       string `json:"role"`
	Field      string `json:"field"`
	Reason     string `json:"reason"`
}

func (a *acceptance) String() string {
	parts := []string{a.Code}
	for _, part := range []string{a.Definition, a.Version, a.Role, a.Field} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// check returns an error for an acceptance that accepts too much or nothing.
func (a *acceptance) check() error {
	if a == nil || a.Code == "" {
		return errors.New("code is missing")
	}
	if err := checkCode(a.Code, compatCodes()); err != nil {
		return err
	}
	if strings.TrimSpace(a.Reason) == "" {
		return fmt.Errorf("%s needs a reason", a)
	}
	return nil
}

// compatCodes returns the codes of all findings.
func compatCodes() []string {
	codes := []string{string(codeDefinitionAdded), string(codeDefinitionRemoved)}
	for _, code := range compat.Codes() {
		codes = append(codes, string(code))
	}
	return codes
}

// describeCompat returns the meaning of a code, "" for an unknown one.
func describeCompat(code string) string {
	switch compat.Code(code) {
	case codeDefinitionAdded:
		return "The definition is new"
	case codeDefinitionRemoved:
		return "The definition is removed"
	}
	return compat.Code(code).Description()
}

func (a *acceptance) matches(definition string, f *compat.Finding) bool {
	return a.Code == string(f.Code) && matches(a.Definition, definition) && matches(a.Version, f.Version) &&
		matches(a.Role, string(f.Role)) && matches(a.Field, f.Field)
}

func matches(want, got string) bool { return want == "" || want == got }

// judge changes the severities of findings by their codes, drops those that are off, and
// marks accepted ones. It returns the acceptances that accept nothing.
func (c *configFile) judge(r *compatReport) []*acceptance {
	used := map[*acceptance]bool{}
	findings := []compatFinding{}
	for _, f := range r.Findings {
		if c.Severity[string(f.Code)] != severityOff {
			findings = append(findings, c.judgeFinding(f, used)...)
		}
	}
	r.Findings = findings
	return slices.DeleteFunc(slices.Clone(c.Compat.Accepted), func(a *acceptance) bool { return used[a] })
}

// judgeFinding returns a finding with its severity. If a part of it is accepted, that is a finding
// of its own, behind the rest.
func (c *configFile) judgeFinding(f compatFinding, used map[*acceptance]bool) []compatFinding {
	byReason := map[string][]compat.Finding{}
	for _, part := range compat.Split([]compat.Finding{f.Finding}) {
		if severity, ok := c.Severity[string(f.Code)]; ok {
			part.Severity = compat.Severity(severity)
		}
		reason := f.Accepted
		if i := slices.IndexFunc(c.Compat.Accepted, func(a *acceptance) bool { return a.matches(f.Definition, &part) }); i >= 0 {
			a := c.Compat.Accepted[i]
			used[a], reason = true, a.Reason
		}
		if reason != "" {
			part.Severity = compat.Note
		}
		byReason[reason] = append(byReason[reason], part)
	}
	var out []compatFinding
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		for _, merged := range compat.Merge(byReason[reason]) {
			part := f
			part.Finding, part.Accepted = merged, reason
			out = append(out, part)
		}
	}
	return out
}

// mergeReports joins the reports of all shards to the report of the whole comparison. files
// has one report a shard, or a single report without shards, which it returns as it is.
func mergeReports(ctx context.Context, r *manifest.Reader, files []string) (*compatReport, error) {
	reports := make([]*compatReport, len(files))
	for i, name := range files {
		text, err := r.Content(ctx, name)
		if err == nil {
			reports[i], err = readReport(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(reports) == 1 && reports[0].Shard == "" {
		return reports[0], nil
	}
	if err := checkShards(files, reports); err != nil {
		return nil, err
	}
	merged := reports[0]
	merged.Shard = ""
	definitions, objects := merged.split()
	for i, r := range reports[1:] {
		other, more := r.split()
		if !sameJSON(merged.Definitions, r.Definitions) || !sameJSON(definitions, other) {
			return nil, fmt.Errorf("%s and %s compare different definitions", files[0], files[i+1])
		}
		merged.Objects.add(r.Objects)
		objects = append(objects, more...)
	}
	slices.SortStableFunc(objects, func(a, b compatFinding) int { return compareFiles(a.File, b.File) })
	merged.Findings = slices.Concat([]compatFinding{}, definitions, objects)
	slices.SortStableFunc(merged.Objects.Unreadable, func(a, b unreadObject) int { return compareFiles(a.File, b.File) })
	return merged, nil
}

// split returns the findings about definitions, and those about stored objects.
func (r *compatReport) split() (definitions, objects []compatFinding) {
	for _, f := range r.Findings {
		if f.Object == nil {
			definitions = append(definitions, f)
		} else {
			objects = append(objects, f)
		}
	}
	return definitions, objects
}

// sameJSON reports whether two values are the same in JSON.
func sameJSON(a, b any) bool {
	x, err := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// compareFiles compares the names of files in the order in which a directory is read.
func compareFiles(a, b string) int {
	return slices.Compare(strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/"))
}

// checkShards returns an error unless the reports are all shards of one run.
func checkShards(files []string, reports []*compatReport) error {
	var first shard
	found := map[int]string{}
	for i, r := range reports {
		var s shard
		if r.Shard == "" || r.Objects == nil || s.Set(r.Shard) != nil {
			return fmt.Errorf("%s is not a report with --shard", files[i])
		}
		if i == 0 {
			first = s
		}
		if s.of != first.of {
			return fmt.Errorf("%s is shard %s, but %s is shard %s", files[0], &first, files[i], &s)
		}
		if other := found[s.part]; other != "" {
			return fmt.Errorf("%s and %s are both shard %s", other, files[i], &s)
		}
		found[s.part] = files[i]
	}
	var missing []string
	for part := range first.of {
		if found[part] == "" {
			missing = append(missing, (&shard{part, first.of}).String())
		}
	}
	if len(missing) > 0 {
		return errors.New("missing shards: " + short(strings.Join(missing, ", ")))
	}
	return nil
}

// add adds the counts of another shard.
func (c *objectCounts) add(other *objectCounts) {
	c.Checked += other.Checked
	c.Incompatible += other.Incompatible
	c.Unreadable = append(c.Unreadable, other.Unreadable...)
	for kind, n := range other.PassedOver {
		if c.PassedOver == nil {
			c.PassedOver = map[string]int{}
		}
		c.PassedOver[kind] += n
	}
}
