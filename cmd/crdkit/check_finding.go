package main

import (
	"bytes"
	"errors"
	"iter"

	"github.com/crdkit/crdkit"
)

// A finding is what became of one document.
type finding struct {
	doc    document
	name   string
	report *crdkit.Report // nil if err is set
	issues []issue
	err    error // why there is no verdict

	other bool // the document is no definition
	end   bool // of what was named on the command line: there is no document
}

// An issue is one thing that is to be said of a definition.
type issue struct {
	level    string // error, warning or note
	code     string // the type of an error, the code of a note
	text     string
	pointer  string
	position crdkit.Position
}

const (
	levelError   = "error"
	levelWarning = "warning"
	levelNote    = "note"

	// Codes of issues that have none of their own.
	codeWarning   = "ServerWarning"
	codeUndecided = "Undecided"
)

const (
	accepted  = "accepted"
	refused   = "refused"
	undecided = "undecided"
)

func (f *finding) verdict() string {
	switch {
	case f.err != nil:
		return undecided
	case f.report.Accepted():
		return accepted
	}
	return refused
}

func (f *finding) exitCode() int {
	return map[string]int{accepted: exitOK, refused: exitRefused, undecided: exitUndecided}[f.verdict()]
}

// findings yields a function for each document, which judges it, and one for
// the end of each file or directory that is named.
func (c *checker) findings(files []string) iter.Seq[func() *finding] {
	return func(yield func(func() *finding) bool) {
		for _, name := range files {
			for doc := range documents(name, c.recursive, c.in) {
				if !yield(func() *finding { return c.decide(doc) }) {
					return
				}
			}
			if !yield(func() *finding { return &finding{doc: document{file: name}, end: true} }) {
				return
			}
		}
	}
}

// definitionsOf passes on what was found of definitions, and a finding without
// a verdict for each name on the command line that leads to none.
func definitionsOf(all iter.Seq[*finding]) iter.Seq[*finding] {
	return func(yield func(*finding) bool) {
		found := false
		for f := range all {
			switch {
			case f.other, f.end && found:
				found = found && !f.end
				continue
			case f.end:
				f.err = errors.New("no CustomResourceDefinition in it")
				f.issues = []issue{{level: levelError, code: codeUndecided, text: f.err.Error()}}
			default:
				found = true
			}
			if !yield(f) {
				return
			}
			found = found && !f.end
		}
	}
}

func (c *checker) decide(doc document) *finding {
	f := &finding{doc: doc, err: doc.err}
	if f.err == nil {
		if !mentionsDefinition(doc.data) && !isDefinition(doc.data) {
			f.other = true
			return f
		}
		f.judge(c)
	}
	if f.err != nil {
		f.issues = []issue{{level: levelError, code: codeUndecided, text: f.err.Error(), position: doc.start}}
	}
	f.doc.data = nil // while the finding waits for its turn
	return f
}

// mentionsDefinition reports whether a document may be a definition. Most
// others need not be parsed twice.
func mentionsDefinition(data []byte) bool {
	return bytes.Contains(data, []byte("CustomResourceDefinition")) || bytes.IndexByte(data, '\\') >= 0
}

func (f *finding) judge(c *checker) {
	crd, err := crdkit.Parse(f.doc.data)
	if err != nil {
		f.other = !isDefinition(f.doc.data)
		f.err = err
		return
	}
	f.name = crd.Name
	f.report = crdkit.CheckUpdate(crd, c.olds[crd.Name], c.opts...)
	source := crdkit.NewSource(f.doc.data, f.doc.start)
	add := func(level, code, text, pointer string) {
		f.issues = append(f.issues, issue{level, code, text, source.Pointer(pointer), source.Position(pointer)})
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
}
