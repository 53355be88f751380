package main

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/crdkit/crdkit/definition"
)

// A checkedDefinition is the result of checking one document.
type checkedDefinition struct {
	doc    inputDocument
	name   string
	report *definition.Report // nil if err is set
	issues []issue
	err    error // prevents a verdict

	end bool // of what was named on the command line: there is no document
}

// An issue is an error, a warning or a note about a definition.
type issue struct {
	level    string // error, warning or note
	code     string // the type of an error, the code of a note
	text     string
	pointer  string
	position definition.Position
}

const (
	levelError   = "error"
	levelWarning = "warning"
	levelNote    = "note"

	// The codes of issues without a code of their own.
	codeWarning   = "ServerWarning"
	codeUndecided = "Undecided"
)

const (
	accepted  = "accepted"
	refused   = "refused"
	undecided = "undecided"
)

func (f *checkedDefinition) verdict() string {
	switch {
	case f.err != nil:
		return undecided
	case f.report.Accepted():
		return accepted
	}
	return refused
}

func (f *checkedDefinition) exitCode() int {
	return map[string]int{accepted: exitOK, refused: exitRefused, undecided: exitUndecided}[f.verdict()]
}

// checkFiles yields a function for each document, which checks the definitions
// in it, and one for the end of each file or directory on the command line.
func (c *checker) checkFiles(files []string) iter.Seq[func() []*checkedDefinition] {
	return func(yield func(func() []*checkedDefinition) bool) {
		for _, name := range files {
			for doc := range documents(name, c.recursive, c.in) {
				if !yield(func() []*checkedDefinition { return c.decide(doc) }) {
					return
				}
			}
			if !yield(func() []*checkedDefinition { return []*checkedDefinition{{doc: inputDocument{file: name}, end: true}} }) {
				return
			}
		}
	}
}

// definitionsOf yields the checked definitions, and one without a verdict for
// each name on the command line without definitions.
func definitionsOf(all iter.Seq[[]*checkedDefinition]) iter.Seq[*checkedDefinition] {
	return func(yield func(*checkedDefinition) bool) {
		found := false
		for document := range all {
			for _, f := range document {
				if f.end && !found {
					f.fail(errors.New("no CustomResourceDefinition in it"))
				}
				if found = !f.end; f.err == nil && f.end {
					continue
				}
				if !yield(f) {
					return
				}
			}
		}
	}
}

// decide checks the definitions of a document. It returns nil if the document
// has none.
func (c *checker) decide(doc inputDocument) []*checkedDefinition {
	if doc.err == nil && !mentionsDefinition(doc.data) && !isDefinition(doc.data) {
		return nil
	}
	source := definition.NewSource(doc.data, doc.start)
	f := &checkedDefinition{doc: doc}
	if doc.err != nil {
		f.fail(doc.err)
	} else if !f.judge(c, doc.data, source) {
		items, err := listItems(doc)
		if err == nil {
			return c.decideItems(items, source)
		}
		f.fail(err)
	}
	f.doc.data = nil // while the finding waits for its turn
	return []*checkedDefinition{f}
}

// decideItems checks the definitions in a list.
func (c *checker) decideItems(items []inputDocument, source *definition.Source) []*checkedDefinition {
	var all []*checkedDefinition
	for _, item := range items {
		f := &checkedDefinition{doc: item}
		if f.judge(c, item.data, source) {
			f.doc.data = nil
			all = append(all, f)
		}
	}
	return all
}

// fail records the error that prevents a verdict.
func (f *checkedDefinition) fail(err error) {
	f.err = err
	f.issues = []issue{{level: levelError, code: codeUndecided, text: err.Error(), position: f.doc.start}}
}

// mentionsDefinition reports whether a document may be a definition. It avoids
// parsing most other documents twice.
func mentionsDefinition(data []byte) bool {
	return bytes.Contains(data, []byte("CustomResourceDefinition")) || bytes.IndexByte(data, '\\') >= 0
}

// locate records the error of a definition that does not parse: an issue with
// its position for each field, or one for the whole definition.
func (f *checkedDefinition) locate(err error, source *definition.Source) {
	if at := source.Position(f.doc.within); at.IsValid() {
		f.issues[0].position = at
	}
	fields := fieldErrors(err)
	if len(fields) == 0 {
		return
	}
	f.issues = nil
	for _, e := range fields {
		path := e.FieldPath()
		if f.doc.within != "" {
			path = fmt.Sprintf("items[%s].%s", strings.TrimPrefix(f.doc.within, "/items/"), path)
		}
		pointer := source.FieldPointer(path)
		f.issues = append(f.issues, issue{levelError, codeUndecided, e.Error(), pointer, source.Position(pointer)})
	}
}

// A fieldError is an error of strict decoding about a field.
type fieldError interface {
	error
	FieldPath() string
}

// fieldErrors returns the errors about fields that err consists of, nil if it
// has other errors.
func fieldErrors(err error) []fieldError {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return nil
	}
	var all []fieldError
	for _, e := range joined.Unwrap() {
		var field fieldError
		if !errors.As(e, &field) {
			return nil
		}
		all = append(all, field)
	}
	return all
}

// judge checks a definition and records its issues with their positions in
// source. It reports false if the document is not a definition.
func (f *checkedDefinition) judge(c *checker, data []byte, source *definition.Source) bool {
	crd, err := definition.Parse(data)
	if err != nil {
		if !isDefinition(data) {
			return false
		}
		f.fail(err)
		f.locate(err, source)
		return true
	}
	f.name = crd.Name
	old := c.olds[crd.Name]
	switch {
	case !c.status:
		f.report = definition.CheckUpdate(crd, old, c.opts...)
	case old == nil:
		f.fail(fmt.Errorf("%s is not among the definitions of --old", crd.Name))
		return true
	default:
		f.report = definition.CheckStatus(crd, old, c.opts...)
	}
	add := func(level, code, text, pointer string) {
		pointer = source.Pointer(f.doc.within + pointer)
		f.issues = append(f.issues, issue{level, code, text, pointer, source.Position(pointer)})
	}
	for _, e := range f.report.Errors {
		add(levelError, string(e.Type), e.Error(), e.Pointer)
	}
	for _, w := range f.report.Warnings {
		add(levelWarning, codeWarning, w.Text, w.Pointer)
	}
	for _, n := range f.report.Notes {
		add(levelNote, string(n.Code), n.Text, n.Pointer)
	}
	return true
}
