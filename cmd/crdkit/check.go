package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const checkHelp = `check FILE...
Decide whether the server would accept CustomResourceDefinitions

Report for each CustomResourceDefinition in the files whether kube-apiserver would
accept it, with the server's errors and warnings, and with notes of crdkit.

With --old, a definition replaces the one of the same metadata.name there. The server
then forgives certain errors that the old definition has too. An old definition without
conditions in its status, such as one in a repository, counts as established. A
definition without an old one is checked as a new one. With --status, the definition is
a write to the status subresource of the old one.

FILE may be a directory, with -R including its subdirectories, or - for standard
input. Documents of other kinds are ignored. The items of a List are checked.

Standard output has, in the order of the files,

  text    the findings as file:line:column, and a count
  json    an array with an object for each definition
  jsonl   the same, one object a line
  sarif   SARIF 2.1.0, as code scanning reads it
  junit   JUnit's XML: a suite for each file, a case for each definition
  github  annotations for GitHub Actions

The exit code is 0 if all are accepted, 1 if some are refused, and 2 if some are
undecided: a file cannot be read, or a document is not YAML or JSON. A definition is
refused if the server cannot decode it, or if it has unknown or duplicate fields and
--validate is strict. Warnings and notes do not change the exit code.

Examples:
  crdkit check crd.yaml
  crdkit check -R -o jsonl config/crd
  crdkit check --old released/crds/ config/crd/bases
  crdkit check --old stored.yaml --status migrated.yaml
  crdkit check -R -o sarif config/crd > crds.sarif`

type checker struct {
	session
	old          string
	status       bool
	v1beta1Rules bool

	olds    map[string]*apiextensionsv1.CustomResourceDefinition
	opts    []definition.Option
	sources sources
}

func newCheck() *cobra.Command {
	c := &checker{olds: map[string]*apiextensionsv1.CustomResourceDefinition{}}
	cmd := c.command(checkHelp, cobra.MinimumNArgs(1), c.run, "kubernetes-version", "severity")
	cmd.ValidArgsFunction = completeManifests
	f := cmd.Flags()
	c.addOutput(findingOutputs()...)
	f.StringVar(&c.old, "old", "", "file or directory of the definitions to replace")
	f.BoolVar(&c.status, "status", false, "check a write to the status of the definitions in --old")
	c.addRecursive()
	c.addJudging()
	f.BoolVar(&c.v1beta1Rules, "v1beta1-rules", false, "apply the rules of servers up to 1.21 for definitions of v1beta1")
	return cmd
}

func (c *checker) run(ctx context.Context, files []string) error {
	if c.status && c.old == "" {
		return errors.New("--status needs --old")
	}
	if err := c.startJudging(c.out); err != nil {
		return err
	}
	c.opts = []definition.Option{definition.WithNotes(), definition.KubernetesVersion(c.version)}
	if c.v1beta1Rules {
		c.opts = append(c.opts, definition.V1beta1Rules())
	}
	if err := readOld(ctx, c.reader, c.old, c.addOld); err != nil {
		return err
	}
	r := newReport(&c.session, "definitions", accepted)
	defer r.bar.clear()
	if err := inOrder(ctx, namedDefinitions(ctx, c.reader, files...), c.decide, r.add); err != nil {
		return err
	}
	return r.end()
}

// addOld adds a definition of --old. Other objects are ignored.
func (c *checker) addOld(o *manifest.Object) error {
	if !o.IsDefinition() {
		return nil
	}
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

func (c *checker) decide(o *manifest.Object) *finding {
	f := &finding{doc: o, source: c.sources.of(o), verdict: refused}
	err := o.Err
	if err == nil {
		err = c.judge(f)
	}
	if err != nil && !c.refuse(f, err) {
		f.fail(err)
	}
	f.doc, f.source = withoutText(o), nil // saves memory until f is printed
	f.line = f.checkLine
	return f
}

// refuse records an error of a definition that cannot be decoded, as one issue for each
// field. It returns false for any other error.
func (c *checker) refuse(f *finding, err error) bool {
	incomplete := errors.Is(err, manifest.ErrIncomplete)
	if !incomplete && !errors.Is(err, definition.ErrRefused) {
		return false
	}
	all, _ := errors.AsType[utilerrors.Aggregate](err)
	wrong, _ := errors.AsType[*json.UnmarshalTypeError](err)
	var strict interface{ Unwrap() []error }
	switch {
	case incomplete:
		f.addComplaint(levelError, codeBadRequest, err.Error())
	case errors.As(err, &strict):
		c.addStrict(f, levelError, strict.Unwrap())
	case all != nil: // v1 cannot express the definition
		for _, err := range all.Errors() {
			if e, ok := errors.AsType[*field.Error](err); ok {
				f.addAt(f.fieldPointer(e.Field), issue{level: levelError, code: string(e.Type), text: e.Error(), named: true})
			}
		}
	case wrong != nil:
		f.addAt(f.fieldPointer(wrong.Field), issue{level: levelError, code: codeBadRequest, text: err.Error(), named: true})
	default:
		f.addComplaint(levelError, codeBadRequest, err.Error())
	}
	return true
}

// addStrict records errors of strict decoding. It explains them if level is levelError.
func (c *checker) addStrict(f *finding, level string, errs []error) {
	for _, err := range errs {
		i := f.addText(level, codeDuplicateField, err.Error())
		if i != nil && level == levelError && c.explains && f.doc.GroupVersion() == apiextensionsv1.SchemeGroupVersion {
			i.why = explanation.DefinitionField(strings.TrimPrefix(i.pointer, f.doc.Within))
		}
	}
}

// judge checks a definition and records its issues. An error means that there is no verdict.
func (c *checker) judge(f *finding) error {
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
		return err
	}
	f.name = crd.Name
	old := c.olds[crd.Name]
	var report *definition.Report
	switch {
	case !c.status:
		report = definition.CheckUpdate(crd, old, c.opts...)
	case old == nil:
		return fmt.Errorf("%s is not among the definitions of --old", crd.Name)
	default:
		report = definition.CheckStatus(crd, old, c.opts...)
	}
	if report.Accepted() {
		f.verdict = accepted
	}
	add := func(pointer string, i issue) { f.addAt(f.source.Pointer(f.doc.Within+pointer), i) }
	for n, e := range report.Errors {
		i := issue{level: levelError, code: string(e.Type), err: e}
		if c.explains && n < maxExplained {
			i.why = explanation.Definition(crd, e.FieldError())
		}
		add(e.Pointer, i)
	}
	f.addOmitted(report.Omitted)
	c.addStrict(f, levelWarning, found)
	for _, w := range report.Warnings {
		add(w.Pointer, issue{level: levelWarning, code: codeWarning, text: w.Text})
	}
	for _, n := range report.Notes {
		add(n.Pointer, issue{level: levelNote, code: string(n.Code), text: n.Text})
	}
	return nil
}

// A checkLine is the output of -o json and -o jsonl for a definition.
type checkLine struct {
	lineOrigin
	Name     string         `json:"name"`
	Decided  bool           `json:"decided"`
	Accepted bool           `json:"accepted"`
	Errors   []lineError    `json:"errors"`
	Warnings []checkWarning `json:"warnings"`
	Notes    []checkNote    `json:"notes"`
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

func (f *finding) checkLine() any {
	l := checkLine{
		lineOrigin: originOf(f.doc), Name: f.name, Decided: f.verdict != undecided, Accepted: f.verdict == accepted,
		Errors: mapped(f.ofLevel(levelError), lineErrorOf),
		Warnings: mapped(f.ofLevel(levelWarning), func(i *issue) checkWarning {
			return checkWarning{i.description(), i.pointer, i.position.Line, i.position.Column}
		}),
		Notes: mapped(f.ofLevel(levelNote), func(i *issue) checkNote {
			return checkNote{i.code, i.pointer, i.description(), i.position.Line, i.position.Column}
		}),
	}
	for i := range l.Errors {
		e := &l.Errors[i]
		if e.Step = ""; e.BadValue == nil {
			e.BadValue = json.RawMessage("null") // crdkit check always prints badValue
		}
	}
	return l
}
