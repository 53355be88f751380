package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/text/manifest"
	"github.com/crdkit/crdkit/validation"
)

type findingPrinter interface {
	print(*finding) error
	end() error // called once, after the last finding
}

func findingOutputs() []string { return []string{"text", "json", "jsonl", "sarif", "junit", "github"} }

// newFindingPrinter returns the printer for one of findingOutputs. passed is "admitted"
// or "accepted". Only text uses colors.
func newFindingPrinter(output, passed string, out io.Writer, colors bool) findingPrinter {
	switch output {
	case "json", "jsonl":
		return &jsonPrinter{out: out, array: output == "json"}
	case "sarif":
		return &sarifPrinter{out: out, results: []sarifResult{}, used: map[string]bool{}}
	case "junit":
		return &junitPrinter{out, junitSuites{Name: "crdkit " + map[string]string{admitted: "admit", accepted: "check"}[passed]}}
	case "github":
		return annotations{out: out}
	default:
		return &textPrinter{out: out, passed: passed, colors: colors, counts: map[string]int{}}
	}
}

// A report is the output of a command that judges. The worst verdict becomes the exit code.
type report struct {
	*session
	printer findingPrinter
	buffer  *bufio.Writer // standard output
	bar     *progress
	shared  bool // findings are printed on the terminal that shows the progress
}

// newReport returns a report. noun is "objects" or "definitions", passed is "admitted" or
// "accepted".
func newReport(s *session, noun, passed string) *report {
	buffer := bufio.NewWriter(s.out)
	return &report{s, newFindingPrinter(s.output, passed, buffer, hasColors(s.out)), buffer, newProgress(s.errOut, noun, passed), isTerminal(s.out)}
}

func (r *report) add(f *finding) error {
	r.config.Severity.apply(f)
	r.worst = max(r.worst, f.exitCode())
	r.bar.done(f.verdict)
	if r.shared {
		r.bar.clear()
	}
	return cmp.Or(r.printer.print(f), r.buffer.Flush())
}

func (r *report) end() error {
	r.bar.clear()
	return cmp.Or(r.printer.end(), r.buffer.Flush())
}

type textPrinter struct {
	out    io.Writer
	passed string // the positive verdict
	quiet  bool   // omit the counts, and positive verdicts without issues
	colors bool   // see hasColors
	counts map[string]int
}

func (p *textPrinter) print(f *finding) error {
	p.counts[f.verdict] += max(f.objects, 1)
	if p.quiet && f.verdict == p.passed && len(f.issues) == 0 {
		return nil
	}
	name := ""
	if f.name != "" {
		name = ": " + f.name
	}
	fmt.Fprintf(p.out, "%s: %s\n", p.paint(f.verdict), printable(f.doc.Location()+name))
	for n := range f.issues {
		i := &f.issues[n]
		fmt.Fprintf(p.out, "  %s: %s: %s\n", printable(positionText(f.doc.File, i.position)), p.paint(i.level), printable(i.message()))
		if i.why != nil {
			fmt.Fprintf(p.out, "    %s\n", printable(i.explanation()))
		}
		for _, line := range i.details {
			fmt.Fprintf(p.out, "    %s\n", printable(line))
		}
	}
	for _, line := range f.more {
		fmt.Fprintf(p.out, "  %s\n", printable(line))
	}
	return nil
}

var colors = map[string]int{
	refused: red, levelError: red, string(compat.VerdictIncompatible): red,
	undecided: yellow, levelWarning: yellow, string(compat.VerdictUnknown): yellow,
	accepted: green, admitted: green, string(compat.VerdictCompatible): green,
}

const red, green, yellow = 31, 32, 33

func (p *textPrinter) paint(word string) string {
	if color := colors[word]; p.colors && color != 0 {
		return fmt.Sprintf("\x1b[%dm%s\x1b[0m", color, word)
	}
	return word
}

func (p *textPrinter) end() error {
	if p.quiet {
		return nil
	}
	_, err := fmt.Fprintf(p.out, "%d %s, %d refused, %d undecided\n", p.counts[p.passed], p.passed, p.counts[refused], p.counts[undecided])
	return err
}

// line returns the issue in the format of compiler messages, which editors parse.
func (i *issue) line(file string) string {
	return fmt.Sprintf("%s: %s: %s", positionText(file, i.position), i.level, i.explained())
}

// explained returns the message of the issue. Its explanation, if any, is a second line.
func (i *issue) explained() string {
	if i.why == nil {
		return i.message()
	}
	return i.message() + "\n  " + i.explanation()
}

// explanation returns the explanation as one line. The text may quote keys with line feeds.
func (i *issue) explanation() string { return strings.ReplaceAll(short(i.why.Text), "\n", `\n`) }

func positionText(file string, p definition.Position) string {
	file = manifest.Quote(file)
	if !p.IsValid() {
		return file
	}
	return file + ":" + p.String()
}

// message returns the text of the issue with its field.
func (i *issue) message() string {
	text := short(i.description())
	switch {
	case i.named:
		return text
	case i.level == levelNote && i.pointer != "":
		return fmt.Sprintf("%s: %s (%s)", i.pointer, text, i.code)
	case i.level == levelWarning && i.pointer != "":
		return fmt.Sprintf("%s: %s", i.pointer, text)
	}
	return text
}

// short cuts the middle of a very long text, such as an error that prints a whole schema.
func short(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + " ... " + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// annotations prints -o github as workflow commands.
//
// See https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions.
type annotations struct{ out io.Writer }

func (p annotations) print(f *finding) error {
	var b strings.Builder
	for _, i := range f.issues {
		level := i.level
		if level == levelNote {
			level = "notice"
		}
		fmt.Fprintf(&b, "::%s file=%s", level, annotationProperty.Replace(printable(f.doc.File)))
		if i.position.IsValid() {
			fmt.Fprintf(&b, ",line=%d,col=%d", i.position.Line, i.position.Column)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", annotationProperty.Replace(i.code), annotationText.Replace(printable(withName(f.name, i.explained()))))
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

// These escape the message and the properties of a workflow command.
var (
	annotationText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	annotationProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// jsonPrinter prints -o jsonl, or -o json if array is true. It does not buffer findings.
type jsonPrinter struct {
	out     io.Writer
	array   bool
	printed bool
}

func (p *jsonPrinter) print(f *finding) error {
	text, err := jsonText(f.line(), "")
	if err != nil {
		return err
	}
	if p.array {
		before := ",\n"
		if !p.printed {
			before = "[\n"
		}
		text = slices.Concat([]byte(before), bytes.TrimSuffix(text, []byte("\n")))
	}
	p.printed = true
	_, err = p.out.Write(text)
	return err
}

func (p *jsonPrinter) end() error {
	after := ""
	switch {
	case p.array && p.printed:
		after = "\n]\n"
	case p.array:
		after = "[]\n"
	}
	_, err := io.WriteString(p.out, after)
	return err
}

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

func changeLines(changes []crdkit.Change) []lineChange {
	return mapped(changes, func(c crdkit.Change) lineChange { return lineChange{string(c.Op), c.Path.Pointer()} })
}

type lineKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// A lineOrigin is the location of an object, in a line of JSON.
type lineOrigin struct {
	File     string `json:"file"`
	Document int    `json:"document"`
	Item     string `json:"item,omitempty"` // JSON Pointer into the document
	Line     int    `json:"line"`           // of the document
}

func originOf(o *manifest.Object) lineOrigin {
	return lineOrigin{File: o.File, Document: o.Number, Item: o.Within, Line: o.Line}
}

type lineObject struct {
	lineOrigin
	GVK       lineKind `json:"gvk"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name"`
}

func objectLine(o *manifest.Object) lineObject {
	return lineObject{originOf(o), lineKind(o.GroupVersionKind), o.Namespace, o.Name}
}

func (f *finding) ofLevel(levels ...string) (issues []*issue) {
	for n := range f.issues {
		if i := &f.issues[n]; slices.Contains(levels, i.level) {
			issues = append(issues, i)
		}
	}
	return issues
}

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

// badValue returns v as a value that JSON can encode, nil for [field.OmitValueType].
func badValue(v any) any {
	if _, ok := v.(field.OmitValueType); ok {
		return nil
	}
	if _, err := json.Marshal(v); err != nil {
		return fmt.Sprint(v)
	}
	return v
}

func encodeJSON(w io.Writer, v any, indent string) error {
	text, err := jsonText(v, indent)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// jsonText returns v as JSON and a line feed, with control characters escaped.
func jsonText(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return escapeJSON(b.Bytes()), err
}

// escapeJSON escapes control characters and other characters that are not graphic in JSON.
func escapeJSON(text []byte) []byte {
	if bytes.IndexFunc(text, escapedInJSON) < 0 {
		return text
	}
	var escaped bytes.Buffer
	for _, r := range string(text) {
		if escapedInJSON(r) {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		} else {
			escaped.WriteRune(r)
		}
	}
	return escaped.Bytes()
}

func escapedInJSON(r rune) bool { return r != '\n' && r <= 0xffff && !unicode.IsGraphic(r) }

// junitPrinter prints -o junit, the XML of Ant's JUnit task. Each file is a suite, and each
// definition or object a case. "refused" is a failure, "undecided" an error. Warnings and
// notes are output.
//
// See https://github.com/testmoapp/junitxml.
type junitPrinter struct {
	out io.Writer
	all junitSuites
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Skipped int         `xml:"skipped,attr"`
	Cases   []junitCase `xml:"testcase"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	File      string        `xml:"file,attr"`
	Line      int           `xml:"line,attr,omitempty"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	Out       string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func (p *junitPrinter) print(f *finding) error {
	c := junitCase{Name: f.name, ClassName: f.doc.File, File: f.doc.File, Line: f.doc.Line}
	if c.Name == "" {
		c.Name = f.doc.Location()
	}
	problems, first := f.lines(levelError)
	c.Out, _ = f.lines(levelWarning, levelNote)
	switch f.verdict {
	case refused:
		c.Failure = &junitProblem{Message: first, Type: "Refused", Text: problems}
	case undecided:
		c.Error = &junitProblem{Message: first, Type: codeUndecided, Text: problems}
	}
	p.add(c)
	return nil
}

func (p *junitPrinter) add(c junitCase) {
	if n := len(p.all.Suites); n == 0 || p.all.Suites[n-1].Name != c.File {
		p.all.Suites = append(p.all.Suites, &junitSuite{Name: c.File})
	}
	s := p.all.Suites[len(p.all.Suites)-1]
	s.Cases = append(s.Cases, c)
	for _, counts := range []*junitCounts{&s.junitCounts, &p.all.junitCounts} {
		counts.Tests++
		if c.Failure != nil {
			counts.Failures++
		}
		if c.Error != nil {
			counts.Errors++
		}
	}
}

// lines returns the issues of these levels as lines. first is the first message, with the
// number of other issues.
func (f *finding) lines(levels ...string) (lines, first string) {
	var b strings.Builder
	issues := f.ofLevel(levels...)
	for _, i := range issues {
		b.WriteString(i.line(f.doc.File) + "\n")
	}
	if len(issues) > 0 {
		first = issues[0].message()
	}
	if len(issues) > 1 {
		first += fmt.Sprintf(" (and %d more)", len(issues)-1)
	}
	return b.String(), first
}

func (p *junitPrinter) end() error {
	text, err := xml.MarshalIndent(p.all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s%s\n", xml.Header, text)
	return err
}

// sarifPrinter prints -o sarif: one run of SARIF 2.1.0 with a result for each issue.
//
// See https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
type sarifPrinter struct {
	out     io.Writer
	results []sarifResult
	used    map[string]bool // the codes of results
	failed  bool
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    [1]sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name           string      `json:"name"`
			InformationURI string      `json:"informationUri"`
			Rules          []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Invocations [1]struct {
		ExecutionSuccessful bool `json:"executionSuccessful"` // true even if objects are refused
	} `json:"invocations"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
	Logical []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

type sarifLogical struct {
	Name               string `json:"name"`
	FullyQualifiedName string `json:"fullyQualifiedName"`
}

func (p *sarifPrinter) print(f *finding) error {
	p.failed = p.failed || f.failed
	for _, i := range f.issues {
		p.used[i.code] = true
		p.results = append(p.results, sarifResult{
			RuleID: i.code, Level: i.level, Message: sarifText{withName(f.name, i.explained())},
			Locations: []sarifLocation{sarifLocationOf(f, place{i.pointer, i.position})}, Related: mapped(i.also, func(at place) sarifLocation { return sarifLocationOf(f, at) }),
		})
	}
	return nil
}

func sarifLocationOf(f *finding, at place) sarifLocation {
	var l sarifLocation
	l.Physical.Artifact.URI = fileURI(f.doc.File)
	if at.position.IsValid() {
		l.Physical.Region = &sarifRegion{at.position.Line, at.position.Column}
	}
	if f.name != "" {
		l.Logical = []sarifLogical{{f.name, f.name + "#" + at.pointer}}
	}
	return l
}

// fileURI returns the URI of a file. It is relative if name is relative.
func fileURI(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
		if u.Path[0] != '/' {
			u.Path = "/" + u.Path
		}
	}
	return u.String()
}

func (p *sarifPrinter) end() error {
	log := sarifLog{Schema: sarifSchema, Version: "2.1.0"}
	run := &log.Runs[0]
	run.Invocations[0].ExecutionSuccessful = !p.failed
	run.ColumnKind, run.Results = "unicodeCodePoints", p.results
	driver := &run.Tool.Driver
	driver.Name, driver.InformationURI, driver.Rules = "crdkit", "https://github.com/crdkit/crdkit", []sarifRule{}
	ids := slices.Sorted(maps.Keys(p.used))
	for _, id := range ids {
		driver.Rules = append(driver.Rules, sarifRule{id, sarifText{describe(id)}})
	}
	for i := range p.results {
		p.results[i].RuleIndex, _ = slices.BinarySearch(ids, p.results[i].RuleID)
	}
	return encodeJSON(p.out, log, "  ")
}

var descriptions = map[string]string{
	codeUndecided:                 "The file, the definition or the object cannot be read",
	codeWarning:                   "The server accepts this with a warning",
	codeNote:                      "What crdkit did not do",
	codeUnknownField:              "The server refuses this: Unknown field",
	codeDuplicateField:            "The server refuses this: Duplicate field",
	string(codeDefinitionAdded):   "The definition is new",
	string(codeDefinitionRemoved): "The definition is removed",
}

func describe(code string) string {
	text := cmp.Or(descriptions[code], definition.NoteCode(code).Description(), compat.Code(code).Description())
	switch {
	case text != "":
		return text
	case strings.HasPrefix(code, "FieldValue"):
		code = field.ErrorType(code).String()
	}
	return "The server refuses this: " + code
}
