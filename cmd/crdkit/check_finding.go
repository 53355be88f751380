package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
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
func (c *checker) checkFiles(ctx context.Context, files []string) iter.Seq2[*manifest.Object, func() *checkedDefinition] {
	return func(yield func(*manifest.Object, func() *checkedDefinition) bool) {
		for _, name := range files {
			for o, err := range definitionsIn(ctx, c.reader, name) {
				if !yield(o, func() *checkedDefinition { return c.decide(o, err) }) {
					return
				}
			}
			end := &checkedDefinition{finding: finding{doc: atFile(name)}, end: true}
			if ctx.Err() != nil || !yield(nil, func() *checkedDefinition { return end }) {
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
	case err != nil && !f.refuse(err, c.explains, source):
		f.fail(err, source)
	case err == nil:
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

// refuse records the errors of a definition that the server cannot decode: an issue with its
// position for each field that the error names. It reports false if err is another error.
func (f *checkedDefinition) refuse(err error, explains explainFlag, source *definition.Source) bool {
	if errors.Is(err, manifest.ErrIncomplete) {
		f.addComplaint(levelError, codeBadRequest, err.Error(), source)
		return true
	}
	if !errors.Is(err, definition.ErrRefused) {
		return false
	}
	all, _ := errors.AsType[utilerrors.Aggregate](err)
	wrong, _ := errors.AsType[*json.UnmarshalTypeError](err)
	var strict interface{ Unwrap() []error }
	switch {
	case errors.As(err, &strict):
		f.addStrict(levelError, strict.Unwrap(), bool(explains), source)
	case all != nil: // what v1 cannot express
		for _, err := range all.Errors() {
			if e, ok := errors.AsType[*field.Error](err); ok {
				f.issues = append(f.issues, f.issueAt(levelError, string(e.Type), e.Error(), e.Field, source))
			}
		}
	case wrong != nil:
		f.issues = append(f.issues, f.issueAt(levelError, codeBadRequest, err.Error(), wrong.Field, source))
	default:
		f.addComplaint(levelError, codeBadRequest, err.Error(), source)
	}
	return true
}

// addStrict records errors of strict decoding, if explains is true with explanations.
func (f *checkedDefinition) addStrict(level string, errs []error, explains bool, source *definition.Source) {
	for _, err := range errs {
		first := len(f.issues)
		if e, ok := errors.AsType[fieldError](err); ok {
			f.issues = append(f.issues, f.issueAt(level, codeUnknownField, e.Error(), e.FieldPath(), source))
		} else {
			f.addComplaint(level, codeDuplicateField, err.Error(), source)
		}
		for n := range f.issues[first:] {
			i := &f.issues[first+n]
			switch {
			case strings.HasPrefix(i.text, "duplicate "):
				i.code = codeDuplicateField
			case explains && i.code == codeUnknownField && f.doc.GroupVersion() == apiextensionsv1.SchemeGroupVersion:
				i.why = explanation.DefinitionField(strings.TrimPrefix(i.pointer, f.doc.Within))
			}
		}
	}
}

// issueAt returns an issue about a field, with its position.
func (f *checkedDefinition) issueAt(level, code, text, path string, source *definition.Source) issue {
	pointer := f.fieldPointer(path, source)
	return issue{level: level, code: code, text: text, named: true, pointer: pointer, position: source.Position(pointer)}
}

// A fieldError is an error of strict decoding about a field.
type fieldError interface {
	error
	FieldPath() string
}

// judge checks a definition and records its issues with their positions.
func (f *checkedDefinition) judge(c *checker, source *definition.Source) {
	var opts []definition.ParseOption
	var found []error
	switch c.fields {
	case crdkit.Warn:
		opts = append(opts, definition.Tolerant(func(err error) { found = append(found, err) }))
	case crdkit.Ignore:
		opts = append(opts, definition.Tolerant(nil))
	}
	crd, err := definition.Parse(f.doc.Text, opts...)
	if err != nil {
		if !f.refuse(err, c.explains, source) {
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
	f.addStrict(levelWarning, found, false, source)
	for _, w := range f.report.Warnings {
		add(levelWarning, codeWarning, w.Text, w.Pointer)
	}
	for _, n := range f.report.Notes {
		add(levelNote, string(n.Code), n.Text, n.Pointer)
	}
}
