package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/text/manifest"
	"github.com/crdkit/crdkit/validation"
)

// A finding is the verdict on one object or definition, with its reasons.
type finding struct {
	doc    *manifest.Object
	source *definition.Source // finds positions; may be nil
	name   string             // for messages, "" if unknown
	issues []issue
	failed bool       // there is no verdict
	line   func() any // returns the value that -o json and -o jsonl print

	verdict string // accepted, admitted, refused or undecided, or the verdict of crdkit compat

	stored  *unstructured.Unstructured // an admitted object as the server stores it, or nil
	objects int                        // number of objects; 0 means 1
	more    []string                   // lines of text below the issues
}

// An issue is an error, a warning or a note.
type issue struct {
	level    string // error, warning or note
	code     string // the type of an error, the code of a note
	text     string // "" if err is set
	err      error  // its text may be long and is made only when it is printed
	named    bool   // text names the field
	pointer  string
	position definition.Position
	also     []place // other places of the issue

	details []string // lines of text below the issue

	why  *explanation.Explanation                  // nil if there is none
	hide func(*validation.Error) *validation.Error // removes values; nil if they are shown
}

type place struct {
	pointer  string
	position definition.Position
}

const (
	levelError   = "error"
	levelWarning = "warning"
	levelNote    = "note"

	// Codes of issues that have no more specific code.
	codeWarning   = "ServerWarning"
	codeUndecided = "Undecided"
	codeNote      = "Note"

	// The codes of errors of strict decoding.
	codeUnknownField   = "UnknownField"
	codeDuplicateField = "DuplicateField"
	// codeBadRequest is the server's reason if it cannot decode a request.
	codeBadRequest = "BadRequest"
)

const (
	accepted  = "accepted" // a definition
	admitted  = "admitted" // an object
	refused   = "refused"
	undecided = "undecided"
)

func (f *finding) exitCode() int {
	return map[string]int{refused: exitRefused, undecided: exitUndecided}[f.verdict]
}

func (i *issue) description() string {
	if i.err != nil {
		return i.err.Error()
	}
	return i.text
}

// fail records the error that prevents a verdict.
func (f *finding) fail(err error) {
	f.failed, f.verdict, f.issues = true, undecided, nil
	f.addComplaint(levelError, codeUndecided, err.Error())
}

func (f *finding) addAt(pointer string, i issue) {
	i.pointer, i.position = pointer, f.at(pointer)
	f.issues = append(f.issues, i)
}

func (f *finding) addNote(text string) {
	f.issues = append(f.issues, issue{level: levelNote, code: codeNote, text: text, position: f.start()})
}

func (f *finding) addOmitted(n int) {
	if n > 0 {
		f.addNote(fmt.Sprintf("%d more errors are not listed", n))
	}
}

// fieldComplaint matches an error of strict decoding about a field.
var fieldComplaint = regexp.MustCompile(`^(unknown|duplicate) field (".*")$`)

var warnedField = regexp.MustCompile(`^metadata\.[^ :]+`)

// addText adds an issue whose text may name a field or a line. It returns the issue if it is
// about an unknown field, else nil.
func (f *finding) addText(level, code, text string) *issue {
	path := warnedField.FindString(text)
	if match := fieldComplaint.FindStringSubmatch(text); match != nil {
		if code = codeUnknownField; match[1] == "duplicate" {
			code = codeDuplicateField
		}
		path, _ = strconv.Unquote(match[2])
	} else if path == "" && (level == levelError || lineIn(text) > 0) {
		f.addComplaint(level, code, text)
		return nil
	}
	i := issue{level: level, code: code, text: text, position: f.start(), named: true}
	if path != "" {
		i.pointer = f.fieldPointer(path)
		i.position = f.at(i.pointer)
	}
	f.issues = append(f.issues, i)
	if code != codeUnknownField {
		return nil
	}
	return &f.issues[len(f.issues)-1]
}

// addComplaint adds an issue about the object. If the YAML library names several lines, it
// adds one issue for each line.
func (f *finding) addComplaint(level, code, text string) {
	for _, text := range complaints(text) {
		i := issue{level: level, code: code, text: inFile(text, f.doc.Line), position: f.start()}
		if repeatedKey.MatchString(text) {
			i.code = codeDuplicateField
		}
		if line := lineIn(text); line > 0 && f.doc.Within == "" && f.doc.Line > 0 {
			i.position = definition.Position{Line: f.doc.Line + line - 1, Column: 1}
		}
		f.issues = append(f.issues, i)
	}
}

func (f *finding) start() definition.Position {
	if f.doc.Within == "" {
		return positionOf(f.doc)
	}
	return f.at(f.doc.Within)
}

// at returns the position of a JSON Pointer into the document. If the pointer has no
// position, at returns the position of the document.
func (f *finding) at(pointer string) definition.Position {
	if f.source != nil {
		if p := f.source.Position(pointer); p.IsValid() {
			return p
		}
	}
	return positionOf(f.doc)
}

// complaints splits an error text in which the YAML library joined several errors.
func complaints(text string) []string {
	before, list, ok := strings.Cut(text, "yaml: unmarshal errors:\n")
	if !ok {
		return []string{text}
	}
	var all []string
	for line := range strings.Lines(list) {
		all = append(all, before+"yaml: "+strings.TrimSpace(line))
	}
	return all
}

var repeatedKey = regexp.MustCompile(`^yaml: line \d+: key ".*" already set in map$`)

var yamlLine = regexp.MustCompile(`\bline (\d{1,9})\b`)

// lineIn returns the first line number in an error of the YAML library, or 0.
func lineIn(text string) int {
	match := yamlLine.FindStringSubmatch(text)
	if match == nil || !strings.Contains(text, "yaml: ") {
		return 0
	}
	line, _ := strconv.Atoi(match[1])
	return line
}

// inFile changes the line numbers in an error from lines of the document to lines of the
// file. first is the line in the file at which the document begins.
func inFile(text string, first int) string {
	if first <= 1 || !strings.Contains(text, "yaml: ") {
		return text
	}
	return yamlLine.ReplaceAllStringFunc(text, func(match string) string {
		return "line " + strconv.Itoa(lineIn("yaml: "+match)+first-1)
	})
}

// fieldPointer returns the JSON Pointer of a field path. If the document lacks a field of the path,
// the pointer ends before that field.
func (f *finding) fieldPointer(path string) string {
	for within := f.doc.Within; within != ""; {
		at := strings.LastIndex(within, "/items/")
		path = fmt.Sprintf("items[%s].%s", within[at+len("/items/"):], path)
		within = within[:at]
	}
	return f.source.FieldPointer(path)
}

// maxLocated is the size of the largest document in which fields have positions. To find
// them takes many times as much memory as the document.
const maxLocated = 16 << 20

// sources finds positions in documents. It is safe for concurrent use. It keeps the last
// document, which may be a list of many objects.
type sources struct {
	mu     sync.Mutex
	doc    *manifest.Document
	source *definition.Source
}

func (s *sources) of(o *manifest.Object) *definition.Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doc != o.Document {
		text := o.Document.Text
		if len(text) > maxLocated {
			text = nil
		}
		s.doc, s.source = o.Document, definition.NewSource(text, positionOf(o))
	}
	return s.source
}

func positionOf(o *manifest.Object) definition.Position {
	return definition.Position{Line: o.Line, Column: o.Column}
}

// objectTitle returns the kind, namespace and name of an object, such as "Widget team/a". It
// omits empty parts.
func objectTitle(kind, namespace, name string) string {
	if namespace != "" && name != "" {
		name = namespace + "/" + name
	}
	if kind == "" || name == "" {
		return kind + name
	}
	return kind + " " + name
}

func withoutText(o *manifest.Object) *manifest.Object {
	out, doc := *o, *o.Document
	out.Document, out.Text, doc.Text = &doc, nil, nil
	return &out
}

// objectOf decodes the text of an object. It returns o.Err if that is set.
func objectOf(o *manifest.Object) (*unstructured.Unstructured, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	data := o.Text
	if o.YAML {
		var err error
		if data, err = yaml.YAMLToJSON(data); err != nil {
			return nil, err
		}
	}
	var object map[string]any
	if err := utiljson.Unmarshal(data, &object); err != nil {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	if object == nil {
		return nil, errors.New("not an object: null")
	}
	return &unstructured.Unstructured{Object: object}, nil
}

func locate(o *manifest.Object, err error) error {
	return fmt.Errorf("%s: %w", o.Location(), errorInFile{err, o.Line})
}

// An errorInFile is an error about a document. first is the line in the file at which the
// document begins.
type errorInFile struct {
	err   error
	first int
}

func (e errorInFile) Error() string { return inFile(e.err.Error(), e.first) }

func (e errorInFile) Unwrap() error { return e.err }
