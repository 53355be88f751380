package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/manifest"
)

const checkLong = `Report for each CustomResourceDefinition in the files whether kube-apiserver would
accept it, with the server's errors and warnings and with notes by crdkit.

With --old, a definition replaces the one of the same metadata.name there, and
the server forgives certain errors that the old one has too. An old definition
without conditions in its status, such as one in a repository, counts as
established. A definition without an old one is checked as a new one. With
--status as well, the definition is a write to the status subresource, which
requires an old one.

FILE may be a directory, with -R including its subdirectories, and - is standard
input. Documents of other kinds are ignored. Definitions in a List, as kubectl
get prints it, are checked.

Standard output has, in the order of files and documents,

  text    what was found, as file:line:column, and a count
  json    an array with an object for each definition
  jsonl   the same, one object a line
  sarif   SARIF 2.1.0, as code scanning reads it
  junit   JUnit's XML: a suite for each file, a case for each definition
  github  annotations for GitHub Actions

The exit code is 0 if all were accepted, 1 if some were refused, and 2 if some
could not be decided: a file that cannot be read, a document that is not YAML or JSON.
A definition that the server cannot decode is refused, and so is one with unknown or
duplicate fields, unless --validate is warn or ignore. Warnings and notes do not
change the exit code.

With --explain, hints follow the errors of rules that do not compile, and unknown fields.`

const checkExample = `  crdkit check crd.yaml
  crdkit check -R -o jsonl config/crd
  crdkit check --old released/crds/ config/crd/bases
  crdkit check --old stored.yaml --status migrated.yaml
  crdkit check -R -o sarif config/crd > crds.sarif`

// A checker is the state of crdkit check: its flags and what they load.
type checker struct {
	output       string
	old          string
	status       bool
	recursive    bool
	v1beta1Rules bool
	version      kubernetesVersion
	severities   severities
	sources      sources
	validate     validateFlag
	explains     explainFlag

	fields crdkit.FieldValidation
	olds   map[string]*apiextensionsv1.CustomResourceDefinition
	opts   []definition.Option
	in     io.Reader
	reader *manifest.Reader
}

func newCheck() *cobra.Command {
	c := &checker{}
	cmd := &cobra.Command{
		Use:     "check FILE...",
		Short:   "Decide whether the server would accept CustomResourceDefinitions",
		Long:    checkLong,
		Example: checkExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.in = cmd.InOrStdin()
			config, err := readConfig()
			if err != nil {
				return err
			}
			c.version.useConfig(cmd, config)
			c.severities = config.Severity
			c.explains.settle(cmd, cmd.OutOrStdout())
			return c.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	addOutput(cmd, &c.output, findingOutputs()...)
	f.StringVar(&c.old, "old", "", "file or directory of the definitions that are replaced")
	f.BoolVar(&c.status, "status", false, "check a write to the status of the definitions of --old")
	f.BoolVarP(&c.recursive, "recursive", "R", false, "read directories below the directories that are named")
	c.version.addTo(cmd)
	c.validate.addTo(cmd)
	c.explains.addTo(cmd)
	f.BoolVar(&c.v1beta1Rules, "v1beta1-rules", false, "judge as servers up to 1.21 judged definitions of v1beta1")
	return cmd
}

func (c *checker) run(ctx context.Context, files []string, out, errOut io.Writer) error {
	if c.status && c.old == "" {
		return errors.New("--status needs --old")
	}
	var err error
	if c.fields, err = c.validate.fields(); err != nil {
		return err
	}
	c.opts = []definition.Option{definition.WithNotes(), definition.KubernetesVersion(string(c.version))}
	if c.v1beta1Rules {
		c.opts = append(c.opts, definition.V1beta1Rules())
	}
	c.reader = manifest.NewReader(c.in, c.recursive)
	if err := c.loadOld(ctx); err != nil {
		return err
	}
	buffered := bufio.NewWriter(out)
	printer := newFindingPrinter(c.output, accepted, buffered, hasColors(out))
	bar := newProgress(errOut, "definitions", accepted)
	shared := isTerminal(out) // clear the progress line before output
	worst := exitOK
	log := worklogOf(ctx)
	for f := range definitionsOf(inOrder(ctx, c.checkFiles(ctx, files))) {
		c.severities.apply(&f.finding)
		worst = max(worst, f.exitCode())
		log.judged.Add(1)
		bar.done(f.verdict())
		if err := printer.print(&f.finding); err != nil {
			return err
		}
		if shared {
			bar.clear()
		}
		if err := buffered.Flush(); err != nil {
			return err
		}
	}
	bar.clear()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := cmp.Or(printer.end(), buffered.Flush()); err != nil {
		return err
	}
	if worst != exitOK {
		return exitCode(worst)
	}
	return nil
}

func (c *checker) loadOld(ctx context.Context) error {
	if c.old == "" {
		return nil
	}
	c.olds = map[string]*apiextensionsv1.CustomResourceDefinition{}
	for o := range c.reader.Objects(ctx, c.old) {
		err := o.Err
		if err == nil && o.IsDefinition() {
			err = c.addOld(o)
		}
		if err != nil {
			return fmt.Errorf("--old %w", locate(o, err))
		}
	}
	return ctx.Err()
}

// addOld adds a definition.
func (c *checker) addOld(o *manifest.Object) error {
	var opts []definition.ParseOption
	if c.fields != crdkit.Strict {
		opts = append(opts, definition.Tolerant(nil))
	}
	crd, err := definition.Parse(o.Text, opts...)
	if err != nil {
		return err
	}
	if c.olds[crd.Name] != nil {
		return fmt.Errorf("%s is there twice", crd.Name)
	}
	if len(crd.Status.Conditions) == 0 {
		crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
		}
	}
	c.olds[crd.Name] = crd
	return nil
}

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

// A checkLine is the output of -o json and -o jsonl for a definition.
type checkLine struct {
	lineOrigin
	Name     string         `json:"name"`
	Decided  bool           `json:"decided"`
	Accepted bool           `json:"accepted"`
	Errors   []checkError   `json:"errors"`
	Warnings []checkWarning `json:"warnings"`
	Notes    []checkNote    `json:"notes"`
}

type checkError struct {
	Type     string `json:"type"`
	Field    string `json:"field"`
	Detail   string `json:"detail"`
	BadValue any    `json:"badValue"`
	Pointer  string `json:"pointer"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`

	Explanation *lineExplanation `json:"explanation,omitempty"`
}

type checkWarning struct {
	Text    string `json:"text"`
	Pointer string `json:"pointer"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

type checkNote struct {
	Code    string `json:"code"`
	Pointer string `json:"pointer"`
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
}

func checkLineOf(f *checkedDefinition) checkLine {
	l := checkLine{
		lineOrigin: originOf(f.doc), Name: f.name, Decided: f.err == nil, Accepted: f.verdict() == accepted,
		Errors: []checkError{}, Warnings: []checkWarning{}, Notes: []checkNote{},
	}
	for n, i := range f.issues {
		at := i.position
		switch {
		case f.report == nil, // an error of reading it
			i.level == levelError && n >= len(f.report.Errors): // a warning or note whose severity is error
			l.Errors = append(l.Errors, checkError{i.code, "", i.description(), nil, i.pointer, at.Line, at.Column, i.explanationLine()})
		case i.level == levelError:
			e := f.report.Errors[n] // they come first
			l.Errors = append(l.Errors, checkError{string(e.Type), e.Field, e.Detail, badValue(e.BadValue), i.pointer, at.Line, at.Column, i.explanationLine()})
		case i.level == levelWarning:
			l.Warnings = append(l.Warnings, checkWarning{i.description(), i.pointer, at.Line, at.Column})
		default:
			l.Notes = append(l.Notes, checkNote{i.code, i.pointer, i.description(), at.Line, at.Column})
		}
	}
	return l
}

// writeLine implements lineWriter.
func (f *checkedDefinition) writeLine(w io.Writer) error { return encodeJSON(w, checkLineOf(f), "") }
