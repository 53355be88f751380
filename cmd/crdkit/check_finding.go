package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/manifest"
)

// A checkedDefinition is the result of checking one document.
type checkedDefinition struct {
	finding
	report *definition.Report // nil if the definition cannot be read
	end    bool               // of what was named on the command line: there is no document
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
			if ctx.Err() != nil || !yield(func() *checkedDefinition { return &checkedDefinition{finding: finding{doc: atFile(name)}, end: true} }) {
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
				f.fail(errNoDefinition, nil)
				f.line = f
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
	f := &checkedDefinition{finding: finding{doc: o}}
	switch source := c.sources.of(o); {
	case err != nil:
		f.fail(err, source)
	default:
		f.judge(c, source)
	}
	f.doc = withoutText(o) // while the finding waits for its turn
	f.line = f
	return f
}

// withoutText returns an object without its text and that of its document.
func withoutText(o *manifest.Object) *manifest.Object {
	slim, doc := *o, *o.Document
	slim.Document, slim.Text, doc.Text = &doc, nil, nil
	return &slim
}

// refuse records the errors of strict decoding, with which the server refuses a definition:
// an issue with its position for each field. It reports false if err is another error.
func (f *checkedDefinition) refuse(err error, source *definition.Source) bool {
	fields := fieldErrors(err)
	for _, e := range fields {
		pointer := f.fieldPointer(e.FieldPath(), source)
		i := issue{level: levelError, code: codeUnknownField, text: e.Error(), pointer: pointer, position: source.Position(pointer)}
		if strings.HasPrefix(i.text, "duplicate ") {
			i.code = codeDuplicateField
		}
		f.issues = append(f.issues, i)
	}
	return len(fields) > 0
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
		if !f.refuse(err, source) {
			f.fail(err, source)
		}
		return
	}
	f.name = crd.Name
	old := c.olds[crd.Name]
	switch {
	case !c.status:
		f.report = definition.CheckUpdate(crd, old, c.opts...)
	case old == nil:
		f.fail(fmt.Errorf("%s is not among the definitions of --old", crd.Name), source)
		return
	default:
		f.report = definition.CheckStatus(crd, old, c.opts...)
	}
	if f.report.Accepted() {
		f.passed = accepted
	}
	add := func(level, code, text, pointer string) {
		pointer = source.Pointer(f.doc.Within + pointer)
		f.issues = append(f.issues, issue{level: level, code: code, text: text, pointer: pointer, position: source.Position(pointer)})
	}
	for n, e := range f.report.Errors {
		add(levelError, string(e.Type), e.Error(), e.Pointer)
		if c.explains && n < maxExplained {
			f.issues[n].why = explanation.Definition(crd, e.FieldError())
		}
	}
	f.addOmitted(f.report.Omitted, source)
	for _, w := range f.report.Warnings {
		add(levelWarning, codeWarning, w.Text, w.Pointer)
	}
	for _, n := range f.report.Notes {
		add(levelNote, string(n.Code), n.Text, n.Pointer)
	}
}
