package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/manifest"
)

// A checkedDefinition is the result of checking one document.
type checkedDefinition struct {
	doc    *manifest.Object
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

// checkFiles yields a function for each definition, which checks it, and one for
// the end of each file or directory on the command line.
func (c *checker) checkFiles(ctx context.Context, files []string) iter.Seq[func() *checkedDefinition] {
	return func(yield func(func() *checkedDefinition) bool) {
		for _, name := range files {
			for o, err := range definitionsIn(ctx, c.reader, name) {
				if !yield(func() *checkedDefinition { return c.decide(o, err) }) {
					return
				}
			}
			if ctx.Err() != nil || !yield(func() *checkedDefinition { return &checkedDefinition{doc: atFile(name), end: true} }) {
				return
			}
		}
	}
}

// definitionsOf yields the checked definitions, and one without a verdict for
// each name on the command line without definitions.
func definitionsOf(all iter.Seq[*checkedDefinition]) iter.Seq[*checkedDefinition] {
	return func(yield func(*checkedDefinition) bool) {
		found := false
		for f := range all {
			if f.end && !found {
				f.fail(errNoDefinition)
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

// decide checks a definition, unless it could not be read.
func (c *checker) decide(o *manifest.Object, err error) *checkedDefinition {
	f := &checkedDefinition{doc: o}
	switch source := sourceOf(o); {
	case err != nil:
		f.fail(err)
		f.locate(err, source)
	default:
		f.judge(c, source)
	}
	f.doc = withoutText(o) // while the finding waits for its turn
	return f
}

// withoutText returns an object without its text and that of its document.
func withoutText(o *manifest.Object) *manifest.Object {
	slim, doc := *o, *o.Document
	slim.Document, slim.Text, doc.Text = &doc, nil, nil
	return &slim
}

// fail records the error that prevents a verdict.
func (f *checkedDefinition) fail(err error) {
	f.err = err
	f.issues = []issue{{level: levelError, code: codeUndecided, text: err.Error(), position: positionOf(f.doc)}}
}

// locate records the error of a definition that does not parse: an issue with
// its position for each field, or one for the whole definition.
func (f *checkedDefinition) locate(err error, source *definition.Source) {
	if f.doc.Within != "" {
		f.issues[0].position = source.Position(f.doc.Within)
	}
	fields := fieldErrors(err)
	if len(fields) == 0 {
		return
	}
	f.issues = nil
	for _, e := range fields {
		path := e.FieldPath()
		if f.doc.Within != "" {
			path = fmt.Sprintf("items[%s].%s", strings.TrimPrefix(f.doc.Within, "/items/"), path)
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

// judge checks a definition and records its issues with their positions.
func (f *checkedDefinition) judge(c *checker, source *definition.Source) {
	crd, err := definition.Parse(f.doc.Text)
	if err != nil {
		f.fail(err)
		f.locate(err, source)
		return
	}
	f.name = crd.Name
	old := c.olds[crd.Name]
	switch {
	case !c.status:
		f.report = definition.CheckUpdate(crd, old, c.opts...)
	case old == nil:
		f.fail(fmt.Errorf("%s is not among the definitions of --old", crd.Name))
		return
	default:
		f.report = definition.CheckStatus(crd, old, c.opts...)
	}
	add := func(level, code, text, pointer string) {
		pointer = source.Pointer(f.doc.Within + pointer)
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
}
