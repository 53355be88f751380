package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

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

// A comparedDefinition is a definition of --old, of --new, or of both.
type comparedDefinition struct {
	Name     string         `json:"name"`
	Verdict  compat.Verdict `json:"verdict"`
	File     string         `json:"file"`
	Document int            `json:"document"`
	Old      string         `json:"old,omitempty"`   // the location of the old definition
	Error    string         `json:"error,omitempty"` // why there is no comparison
}

// A compatFinding is a finding with its location. Object is set if it is about an object.
type compatFinding struct {
	Definition string      `json:"definition"`
	File       string      `json:"file"`
	Document   int         `json:"document"`
	Object     *objectName `json:"object,omitempty"`
	compat.Finding
	Accepted string `json:"accepted,omitempty"` // the reason
}

type objectName struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Within    string `json:"within,omitempty"` // JSON Pointer of an object in a list
}

func (o *objectName) String() string { return objectTitle(o.Kind, o.Namespace, o.Name) }

type objectCounts struct {
	Checked      int            `json:"checked"`
	Incompatible int            `json:"incompatible"`
	Unreadable   []unreadObject `json:"unreadable"`
	PassedOver   map[string]int `json:"passedOver"` // objects of other kinds
}

type unreadObject struct {
	File     string `json:"file"`
	Document int    `json:"document"`
	Within   string `json:"within,omitempty"`
	Error    string `json:"error"`
}

func objectAt(file string, document int, within string) *manifest.Object {
	return &manifest.Object{Document: &manifest.Document{File: file, Number: document}, Within: within}
}

// about returns the findings about a definition, or about stored objects if d is nil.
func (r *compatReport) about(d *comparedDefinition) (found []*compatFinding) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if d == nil && f.Object != nil || d != nil && f.Object == nil && f.Definition == d.Name && f.File == d.File {
			found = append(found, f)
		}
	}
	return found
}

func (r *compatReport) undecided() bool {
	return r.Objects != nil && len(r.Objects.Unreadable) > 0 ||
		slices.ContainsFunc(r.Definitions, func(d comparedDefinition) bool { return d.Error != "" })
}

func (r *compatReport) conclude() {
	worst := map[string]compat.Verdict{}
	r.Verdict = compat.VerdictCompatible
	if r.undecided() {
		r.Verdict = compat.VerdictUnknown
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Accepted != "" {
			continue
		}
		r.Verdict = worse(r.Verdict, f.Verdict)
		if f.Object == nil {
			worst[f.Definition] = worse(worst[f.Definition], f.Verdict)
		}
	}
	for i := range r.Definitions {
		d := &r.Definitions[i]
		if d.Verdict = worse(compat.VerdictCompatible, worst[d.Name]); d.Error != "" {
			d.Verdict = compat.VerdictUnknown
		}
	}
}

func worse(a, b compat.Verdict) compat.Verdict {
	order := []compat.Verdict{"", compat.VerdictCompatible, compat.VerdictUnknown, compat.VerdictIncompatible}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// exitCode returns the exit code. failOn are the values of --fail-on.
func (r *compatReport) exitCode(failOn []string) int {
	if r.undecided() {
		return exitUndecided
	}
	code := exitOK
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Accepted != "":
		case f.Verdict == compat.VerdictUnknown && slices.Contains(failOn, "unknown"):
			code = exitUndecided
		case f.Severity == compat.SeverityError, f.Severity == compat.SeverityWarning && slices.Contains(failOn, "warning"):
			code = max(code, exitRefused)
		}
	}
	return code
}

// message returns a finding as one sentence: versions, roles, field and text.
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

// versions returns text such as "v1", or "v1beta1 as v1" if v1 serves v1beta1 objects.
func (f *compatFinding) versions() string {
	if f.OldVersion != "" {
		return f.OldVersion + " as " + f.Version
	}
	return f.Version
}

func (f *compatFinding) what() string {
	if f.Effect == "" {
		return f.Text
	}
	return f.Text + ": " + f.Effect
}

func (f *compatFinding) roles() string {
	roles := []string{string(f.Role)}
	for i := range f.Also {
		if role := string(f.Also[i].Role); !slices.Contains(roles, role) {
			roles = append(roles, role)
		}
	}
	return inEnglish(roles, "and")
}

// parts returns the findings of f.Also with the role of f, and the others with its field.
func (f *compatFinding) parts() (places, roles []*compat.Finding) {
	for i := range f.Also {
		switch o := &f.Also[i]; {
		case o.Role == f.Role:
			places = append(places, o)
		case o.Pointer == f.Pointer && o.Field == f.Field:
			roles = append(roles, o)
		}
	}
	return places, roles
}

func (f *compatFinding) otherWitnesses() []*compat.Finding {
	_, roles := f.parts()
	return slices.DeleteFunc(roles, func(o *compat.Finding) bool { return reflect.DeepEqual(o.Witness, f.Witness) })
}

const mostPlaces = 5

// notes returns the parts of a finding that are not in its message.
func (f *compatFinding) notes() []string {
	const saved = "saved by ratcheting"
	var notes, others []string
	if f.Ratcheted {
		notes = append(notes, saved)
	}
	places, roles := f.parts()
	for _, o := range roles {
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
	for _, o := range places[:min(len(places), mostPlaces)] {
		others = append(others, fmt.Sprintf("%s (%s)", cmp.Or(o.Field, "the object"), definition.Position{Line: o.Line, Column: o.Column}))
	}
	if more := len(places) - mostPlaces; more > 0 {
		others = append(others, fmt.Sprintf("%d more", more))
	}
	if len(others) > 0 {
		notes = append(notes, "also: "+inEnglish(others, "and"))
	}
	return notes
}

// asFindings returns a finding for each definition and object. If text is true, details are
// separate lines. Otherwise they are part of the message, and witnesses are omitted.
func (r *compatReport) asFindings(text bool) []*finding {
	var all []*finding
	at := func(name string, verdict compat.Verdict, doc *manifest.Object) *finding {
		f := &finding{doc: doc, name: name, verdict: string(verdict)}
		all = append(all, f)
		return f
	}
	unknown := func(name string, doc *manifest.Object, text string) {
		f := at(name, compat.VerdictUnknown, doc)
		f.fail(errors.New(text))
		f.verdict = string(compat.VerdictUnknown)
	}
	for i := range r.Definitions {
		d := &r.Definitions[i]
		if d.Error != "" {
			unknown(d.Name, objectAt(d.File, d.Document, ""), d.Error)
			continue
		}
		f := at(d.Name, d.Verdict, objectAt(d.File, d.Document, ""))
		for _, c := range r.about(d) {
			if c.Code == compat.CodeProved {
				f.more = append(f.more, "proved: "+c.message())
			} else {
				f.issues = append(f.issues, c.asIssue(text))
			}
		}
	}
	var last *finding
	for _, c := range r.about(nil) {
		doc := objectAt(c.File, c.Document, c.Object.Within)
		if last == nil || last.doc.Location() != doc.Location() {
			last = at(c.Object.String(), compat.VerdictIncompatible, doc)
		}
		last.issues = append(last.issues, c.asIssue(text))
	}
	if r.Objects != nil {
		for _, u := range r.Objects.Unreadable {
			unknown("", objectAt(u.File, u.Document, u.Within), u.Error)
		}
	}
	return all
}

func (f *compatFinding) asIssue(text bool) issue {
	i := issue{
		level: string(f.Severity), code: string(f.Code), named: true, pointer: f.Pointer,
		position: definition.Position{Line: f.Line, Column: f.Column},
	}
	places, _ := f.parts()
	i.also = mapped(places, func(o *compat.Finding) place {
		return place{o.Pointer, definition.Position{Line: o.Line, Column: o.Column}}
	})
	if text {
		i.text, i.details = fmt.Sprintf("%s (%s)", f.message(), f.Code), f.details()
		return i
	}
	parts := append([]string{f.message()}, f.notes()...)
	i.text = strings.Join(append(parts, answers(f.Old, f.New)...), "; ")
	return i
}

// answers labels Old and New of a finding, and omits empty ones.
func answers(before, after string) (labeled []string) {
	if before != "" {
		labeled = append(labeled, "old: "+before)
	}
	if after != "" {
		labeled = append(labeled, "new: "+after)
	}
	return labeled
}

// A compatConfig is the part of .crdkit.yaml that only crdkit compat reads.
type compatConfig struct {
	Accepted []*acceptance `json:"accepted"`
}

// An acceptance selects findings that do not fail the command. An empty field matches any
// value.
type acceptance struct {
	Code       string `json:"code"`
	Definition string `json:"definition"`
	Version    string `json:"version"`
	Role       string `json:"role"`
	Field      string `json:"field"`
	Reason     string `json:"reason"`
}

// values returns the values that a finding must have, "" for any value.
func (a *acceptance) values() []string {
	return []string{a.Code, a.Definition, a.Version, a.Role, a.Field}
}

func (a *acceptance) String() string {
	return strings.Join(slices.DeleteFunc(a.values(), func(value string) bool { return value == "" }), " ")
}

// check returns an error unless an acceptance has a known code and a reason.
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

func compatCodes() []string {
	return append([]string{string(codeDefinitionAdded), string(codeDefinitionRemoved)}, texts(compat.Codes())...)
}

func (a *acceptance) matches(definition string, f *compat.Finding) bool {
	for i, value := range []string{string(f.Code), definition, f.Version, string(f.Role), f.Field} {
		if want := a.values()[i]; want != "" && want != value {
			return false
		}
	}
	return true
}

// judge applies the severities of the configuration and marks accepted findings. It returns
// the acceptances that accept no finding.
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

// judgeFinding sets the severity of a finding. Accepted parts are separate findings, after
// the other parts.
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
			part.Severity = compat.SeverityNote
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

// mergeReports joins the reports of all shards, one in each file. A single report without a
// shard is returned as it is.
func mergeReports(ctx context.Context, r *manifest.Reader, files []string) (*compatReport, error) {
	reports := make([]*compatReport, len(files))
	for i, name := range files {
		text, err := r.Content(ctx, name)
		if err == nil {
			err = json.Unmarshal(text, &reports[i])
		}
		if err == nil && (reports[i] == nil || reports[i].Verdict == "") {
			err = errors.New("not a report of crdkit compat -o json")
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
		if !reflect.DeepEqual(merged.Definitions, r.Definitions) || !reflect.DeepEqual(definitions, other) {
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

// compareFiles compares file names in the order in which directories are read.
func compareFiles(a, b string) int {
	return slices.Compare(strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/"))
}

// checkShards returns an error unless the reports are the complete shards of one run.
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

func (r *compatReport) add(other compatReport) error {
	r.Definitions = append(r.Definitions, other.Definitions...)
	r.Findings = append(r.Findings, other.Findings...)
	if other.Objects != nil {
		r.Objects.add(other.Objects)
	}
	return nil
}

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

func printCompat(out io.Writer, r *compatReport, format string, colors bool) error {
	switch format {
	case "json":
		return encodeJSON(out, r, "  ")
	case "markdown":
		return printCompatMarkdown(out, r)
	}
	printer := newFindingPrinter(format, string(compat.VerdictCompatible), out, colors)
	for _, f := range r.asFindings(format == "text") {
		if err := printer.print(f); err != nil {
			return err
		}
	}
	if format != "text" {
		return printer.end()
	}
	if o := r.Objects; o != nil {
		fmt.Fprintf(out, "%d objects checked, %d incompatible, %d unreadable", o.Checked, o.Incompatible, len(o.Unreadable))
		for _, kind := range slices.Sorted(maps.Keys(o.PassedOver)) {
			fmt.Fprintf(out, ", %d %s passed over", o.PassedOver[kind], printable(kind))
		}
		fmt.Fprintln(out)
	}
	_, err := fmt.Fprintln(out, r.counted())
	return err
}

func (r *compatReport) counted() string {
	counts := map[compat.Verdict]int{}
	for _, d := range r.Definitions {
		counts[d.Verdict]++
	}
	return fmt.Sprintf("%d compatible, %d incompatible, %d unknown", counts[compat.VerdictCompatible], counts[compat.VerdictIncompatible], counts[compat.VerdictUnknown])
}

// details returns the notes and evidence of a finding as lines of text.
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

// evidence returns Old, New and Witness of f as lines. The witness is YAML.
func evidence(f *compat.Finding) []string {
	inLine := strings.NewReplacer("\n", " ", "\r", " ")
	lines := answers(inLine.Replace(short(f.Old)), inLine.Replace(short(f.New)))
	object := func(label string, obj map[string]any) {
		lines = append(lines, label+":")
		for line := range strings.Lines(yamlText(obj)) {
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

func yamlText(object map[string]any) string {
	text, err := yaml.Marshal(object)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// printCompatMarkdown prints -o markdown: a table for each changed definition, and witnesses
// that can be unfolded.
func printCompatMarkdown(out io.Writer, r *compatReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### crdkit compat: %s\n\n%s\n", r.Verdict, r.counted())
	for i := range r.Definitions {
		definitionMarkdown(&b, r, &r.Definitions[i])
	}
	objectsMarkdown(&b, r)
	_, err := io.WriteString(out, printable(b.String()))
	return err
}

func definitionMarkdown(b *strings.Builder, r *compatReport, d *comparedDefinition) {
	found := slices.DeleteFunc(r.about(d), func(f *compatFinding) bool { return f.Code == compat.CodeProved })
	if len(found) == 0 && d.Error == "" {
		return
	}
	fmt.Fprintf(b, "\n#### %s: %s\n\n", code(d.Name), d.Verdict)
	if d.Error != "" {
		fmt.Fprintf(b, "%s\n", cell(d.Error))
		return
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
		witnessMarkdown(b, f.versions()+", "+f.roles(), &f.Finding)
		for _, o := range f.otherWitnesses() {
			witnessMarkdown(b, f.versions()+", "+string(o.Role), o)
		}
	}
}

func witnessMarkdown(b *strings.Builder, about string, f *compat.Finding) {
	if f.Witness == nil {
		return
	}
	text := yamlText(f.Witness.Object)
	if f.Witness.Old != nil {
		text = "# the old object\n" + yamlText(f.Witness.Old) + "---\n# the new object\n" + text
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	fmt.Fprintf(b, "\n<details><summary>%s: %s: witness</summary>\n\n%syaml\n%s%s\n\n</details>\n", about, f.Code, fence, text, fence)
}

func objectsMarkdown(b *strings.Builder, r *compatReport) {
	if r.Objects == nil {
		return
	}
	fmt.Fprintf(b, "\n#### Stored objects\n\n%d checked, %d incompatible, %d unreadable\n", r.Objects.Checked, r.Objects.Incompatible, len(r.Objects.Unreadable))
	for i, f := range r.about(nil) {
		if i == 0 {
			b.WriteString("\n| severity | object | version | field | finding | old | new |\n|---|---|---|---|---|---|---|\n")
		}
		fmt.Fprintf(b, "| %s | %s in %s | %s | %s | %s | %s | %s |\n", f.Severity, code(f.Object.String()), code(objectAt(f.File, f.Document, f.Object.Within).Location()),
			f.versions(), code(f.Field), cell(f.Text)+" ("+string(f.Code)+")", code(short(f.Old)), code(short(f.New)))
	}
	for _, u := range r.Objects.Unreadable {
		fmt.Fprintf(b, "\n%s: %s\n", code(objectAt(u.File, u.Document, u.Within).Location()), cell(u.Error))
	}
}

func cell(text string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "#", "\\#", "@", "&#64;").Replace(text)
}

// code returns a text as code in a table cell, "" for "".
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

func longestRun(text string, c rune) int {
	longest := 0
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return r != c }) {
		longest = max(longest, len(run))
	}
	return longest
}
