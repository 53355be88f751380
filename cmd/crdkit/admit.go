package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/explanation"
	"github.com/crdkit/crdkit/internal/text/manifest"
	"github.com/crdkit/crdkit/validation"
)

const admitHelp = `admit [-c CRD]... FILE...
Decide whether the server would admit objects, and print what it would store

Decide for each object in the files whether kube-apiserver would admit it, and
print what the server would write to storage.

The definitions (-c, a file or a directory) declare the kinds. Definitions among the
objects count too, unless --no-input-definitions is given. Definitions that no object
needs are not compiled. Each object is created. With --old, it replaces the object of
the same kind, namespace and name there.

FILE has YAML, JSON or lines of JSON. It may be a directory, with -R including its
subdirectories, or - for standard input. The items of a list are judged one by one.
The server reads numbers and duplicate keys in JSON (application/json) and in YAML
(application/yaml) differently, and so does crdkit. Other files of a directory are
skipped and counted.

crdkit judges custom resources only. Objects of other kinds, such as Deployments, are
errors, unless --unknown-kinds or --skip-kind says otherwise.

No webhook is called without --webhook. An object that only a webhook could convert to
the storage version is printed at its own version.

Standard output has, in the order of the files,

  text    the verdicts with their reasons as file:line:column, and a count
  json    an array with the lines of jsonl
  jsonl   one line of JSON for each object, with the object as it is stored
  sarif   SARIF 2.1.0, as code scanning reads it
  junit   JUnit's XML: a suite for each file, a case for each object
  github  annotations for GitHub Actions
  yaml    the admitted objects as they are stored; reasons go to standard error
  name    the names of the admitted objects; reasons go to standard error
  diff    what the server changes in the admitted objects; reasons likewise

Defaults of flags are read from .crdkit.yaml in the working directory, or in the nearest
directory above that has one:

  definitions: [config/crd/bases]   # relative to the file
  skipKinds: [apps/Deployment, /ConfigMap]
  unknownKinds: warn
  kubernetesVersion: "1.33"
  severity: {ServerWarning: error}  # error, warning, note or off for warnings and notes

The exit code is 0 if all are admitted, 1 if some are refused, and 2 if some are
undecided: a file cannot be read, no definition serves the kind or version, or the
server could not serve the definition.

Examples:
  crdkit admit -c crd.yaml object.yaml
  crdkit admit -c crds/ -R -o jsonl manifests/
  crdkit admit -c crd.yaml --old before/ --subresource status after/object.yaml
  kustomize build . | crdkit admit -c crds/ -
  helm template --include-crds chart/ | crdkit admit --unknown-kinds skip -`

type admitter struct {
	session
	old         string
	subresource string
	showChanges bool
	all         bool
	sources     sources
	noValues    bool

	olds map[objectKey]*manifest.Object // of --old
}

func newAdmit() *cobra.Command {
	a := &admitter{}
	cmd := a.objectCommand(admitHelp, a.run, "kubernetes-version", "severity")
	f := cmd.Flags()
	a.addOutput(append(findingOutputs(), objectOutputs()...)...)
	f.StringVar(&a.old, "old", "", "file or directory of the objects to replace")
	f.StringVar(&a.subresource, "subresource", "", "subresource to write: status")
	a.addJudging()
	f.BoolVar(&a.showChanges, "show-changes", false, "print on standard error what the server changed in each object")
	f.BoolVar(&a.all, "all", true, "report unknown and duplicate fields together with all other errors (only with --validate=strict)")
	f.BoolVar(&a.noValues, "no-values", false, "print no values in errors and explanations, and no objects with -o json and jsonl")
	a.webhook.addTo(cmd)
	return cmd
}

func (a *admitter) run(ctx context.Context, files []string) error {
	reasons := a.out
	if slices.Contains(objectOutputs(), a.output) {
		reasons = a.errOut
	}
	if err := cmp.Or(a.startJudging(reasons), a.checkFlags()); err != nil {
		return err
	}
	a.load(ctx, files, crdkit.KubernetesVersion(a.version))
	if err := readOld(ctx, a.reader, a.old, func(o *manifest.Object) error { return a.addOld(ctx, o) }); err != nil {
		return err
	}
	r := newReport(&a.session, "objects", admitted)
	r.shared = isTerminal(reasons)
	if slices.Contains(objectOutputs(), a.output) {
		reasons := textPrinter{out: a.errOut, passed: admitted, quiet: true, counts: map[string]int{}}
		r.printer = &objectPrinter{reasons, a.output, objectWriter{out: r.buffer}}
	}
	defer r.bar.clear()
	decide := func(o *manifest.Object) *verdict { return a.decide(ctx, o) }
	if err := inOrder(ctx, a.reader.Objects(ctx, files...), decide, func(v *verdict) error { return a.report(r, v) }); err != nil {
		return err
	}
	return a.end(r)
}

// report adds v to r. It leaves errors about kinds to [admitter.end], unless -o is json or
// jsonl.
func (a *admitter) report(r *report, v *verdict) error {
	if a.skips(v.doc, v.err) {
		return nil
	}
	if a.showChanges && v.result != nil {
		r.bar.clear()
		for _, c := range v.result.Changes {
			fmt.Fprintf(a.errOut, "%s: %s\n", v.doc.Location(), c)
		}
	}
	if isOfKind(v.err) && a.output != "json" && a.output != "jsonl" {
		if k := a.failed.add(v.doc, v.err); k.n == 1 {
			k.position = v.issues[0].position
		}
		return nil
	}
	return r.add(&v.finding)
}

// end reports the errors about kinds, and the skipped objects and files.
func (a *admitter) end(r *report) error {
	for _, k := range a.failed.list {
		f := &finding{doc: k.first, objects: k.n}
		f.fail(k.problem())
		f.issues[0].position = k.position
		if err := r.add(f); err != nil {
			return err
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	if r.bar.total == 0 && len(a.skipped.list) == 1 && a.skipped.list[0].gvk.Kind == definitionKind {
		// Maybe the shell has expanded a pattern after -c.
		a.warn(errors.New("the files have definitions only, which crdkit check judges; to give several files of definitions, repeat -c or name their directory"))
	}
	a.finish()
	return nil
}

func (a *admitter) checkFlags() error {
	if a.subresource != "" && a.subresource != "status" {
		return fmt.Errorf("invalid --subresource %q; it is status", a.subresource)
	}
	if a.subresource != "" && a.old == "" {
		return fmt.Errorf("--subresource %s needs --old: the status of an object that does not exist cannot be written", a.subresource)
	}
	if a.noValues && (a.output == "yaml" || a.output == "diff") {
		return fmt.Errorf("--no-values does not go with --output %s, which prints objects", a.output)
	}
	return nil
}

// readOld calls add for each object of --old. name is a file or directory, "" without --old.
func readOld(ctx context.Context, r *manifest.Reader, name string, add func(*manifest.Object) error) error {
	if name == "" {
		return nil
	}
	for o := range r.Objects(ctx, name) {
		err := o.Err
		if err == nil {
			err = add(o)
		}
		if err != nil {
			return fmt.Errorf("--old %w", locate(o, err))
		}
	}
	return ctx.Err()
}

func (a *admitter) addOld(ctx context.Context, o *manifest.Object) error {
	key := a.keyOf(ctx, o)
	if other, ok := a.olds[key]; ok {
		return fmt.Errorf("%s %q is already in %s", o.Kind, o.Name, other.Location())
	}
	if a.olds == nil {
		a.olds = map[objectKey]*manifest.Object{}
	}
	a.olds[key] = o
	return nil
}

func (a *admitter) keyOf(ctx context.Context, o *manifest.Object) objectKey {
	return a.kinds.key(ctx, o.GroupKind(), o.Namespace, o.Name)
}

// oldOf returns the object that o replaces, as the server reads it at version. It returns
// nil if there is none.
func (a *admitter) oldOf(ctx context.Context, version *crdkit.Version, o *manifest.Object) (*unstructured.Unstructured, error) {
	key := a.keyOf(ctx, o)
	old := a.olds[key]
	if old == nil {
		return nil, nil
	}
	obj, err := objectOf(old)
	if err != nil {
		return nil, locate(old, err)
	}
	read, _, err := version.Read(ctx, obj)
	if err != nil {
		return nil, fmt.Errorf("reading the old object of %w", locate(old, err))
	}
	read.SetNamespace(key.namespace) // the server stores it with this namespace
	return read, nil
}

// A verdict is the result of admitting one document.
type verdict struct {
	finding
	err    error // why there is no verdict
	notes  []string
	result *crdkit.Result // also has the errors of judgeRest

	explainer *explanation.Explainer // nil before the version is known
	explained bool                   // the errors have explanations
	noValues  bool                   // the values of the object are not printed
	why       map[*validation.Error]*explanation.Explanation
}

func (a *admitter) decide(ctx context.Context, o *manifest.Object) *verdict {
	v := &verdict{finding: finding{doc: o, verdict: refused}, explained: a.explains, noValues: a.noValues}
	defer v.finish(a.output)
	if a.passesOver(o) {
		return v
	}
	v.name = objectTitle(o.Kind, o.Namespace, o.Name)
	v.source = a.sources.of(o)
	err := o.Err
	if errors.Is(err, manifest.ErrIncomplete) {
		v.addComplaint(levelError, codeBadRequest, err.Error())
		return v
	}
	if err == nil {
		err = a.judge(ctx, v)
	}
	if err == nil {
		v.record()
		return v
	}
	v.err = err
	v.fail(err)
	if broken, ok := errors.AsType[*definitionError](err); ok && a.explains && len(v.issues) > 0 {
		v.issues[0].why = explainDefinition(broken.crd, broken.err)
	}
	return v
}

// finish drops the parts of a verdict that are not needed to print it. Only -o diff prints
// the text of the object.
func (v *verdict) finish(output string) {
	v.line = v.jsonLine
	v.source, v.why = nil, nil
	if output != "diff" {
		v.doc = withoutText(v.doc)
	}
}

// judge sends the object of v to the version and records the answer. An error means that
// there is no verdict.
func (a *admitter) judge(ctx context.Context, v *verdict) error {
	version, err := a.kinds.version(ctx, v.doc.GroupVersionKind)
	if err != nil {
		return err
	}
	var opts []explanation.Option
	if a.noValues {
		opts = append(opts, explanation.WithoutValues())
	}
	v.explainer = explanation.New(version, opts...)
	out, result, err := a.request(ctx, v.doc, version, a.fields)
	v.result = result
	if err != nil {
		return a.webhook.hint(err)
	}
	if out == nil {
		if err := a.judgeRest(ctx, v, version); err != nil {
			return err
		}
		a.explain(ctx, v, version)
		return ctx.Err()
	}
	v.stored, err = a.store(ctx, v, version, out)
	return err
}

// judgeRest looks for other errors if an object is refused for unknown or duplicate fields.
// It adds them to v.
func (a *admitter) judgeRest(ctx context.Context, v *verdict, version *crdkit.Version) error {
	refusal := v.result.Refusal
	if !a.all || a.fields != crdkit.Strict || refusal == nil || len(refusal.Details) == 0 {
		return nil
	}
	_, rest, err := a.request(ctx, v.doc, version, crdkit.Ignore)
	if err != nil {
		return a.webhook.hint(err)
	}
	v.result.Errors = append(v.result.Errors, rest.Errors...)
	v.result.Omitted += rest.Omitted
	return nil
}

// request sends the document to the version. out is the admitted object as JSON, nil if it
// is refused.
func (a *admitter) request(ctx context.Context, o *manifest.Object, version *crdkit.Version, fields crdkit.FieldValidation) (out []byte, result *crdkit.Result, err error) {
	opts := []crdkit.JSONOption{fields, crdkit.ReportChanges()}
	if o.YAML {
		opts = append(opts, crdkit.YAML())
	}
	replaced, err := a.oldOf(ctx, version, o)
	var old []byte
	if replaced != nil {
		old, err = replaced.MarshalJSON()
	}
	switch {
	case err != nil:
		return nil, nil, err
	case a.subresource != "" && old == nil:
		return nil, nil, fmt.Errorf("%s %q has no old object whose %s could be written", o.Kind, o.Name, a.subresource)
	case a.subresource != "":
		return version.UpdateStatusJSON(ctx, o.Text, old, opts...)
	case old != nil:
		return version.UpdateJSON(ctx, o.Text, old, opts...)
	default:
		return version.CreateJSON(ctx, o.Text, opts...)
	}
}

// store returns the object as the server stores it. If that needs a webhook and --webhook is
// not set, store returns the object at its own version and adds a note to v.
func (a *admitter) store(ctx context.Context, v *verdict, version *crdkit.Version, out []byte) (*unstructured.Unstructured, error) {
	obj := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(out, &obj.Object); err != nil {
		return nil, err
	}
	stored, err := version.Store(ctx, obj)
	if a.webhook.needs(err) {
		v.notes = append(v.notes, fmt.Sprintf("the object is shown at %s: a webhook converts it to the storage version %s, and crdkit calls it only with --webhook",
			version.Name(), version.Definition().Storage().Name()))
		return obj, nil
	}
	return stored, err
}

// record records the reasons of a verdict with their positions.
func (v *verdict) record() {
	if v.stored != nil {
		v.verdict = admitted
	}
	r := v.result
	if r.Refusal != nil {
		v.addRefusal(r.Refusal)
	}
	for _, e := range r.Errors {
		i := issue{level: levelError, code: string(e.Type), err: e, why: v.why[e]}
		if v.noValues {
			i.hide = v.explainer.HideValues
			i.err = i.hide(e)
		}
		v.addAt(v.doc.Within+e.Pointer, i)
	}
	v.addOmitted(r.Omitted)
	for _, w := range r.Warnings {
		v.addText(levelWarning, codeWarning, w)
	}
	for _, note := range v.notes {
		v.addNote(note)
	}
}

func (v *verdict) addRefusal(refusal *crdkit.Refusal) {
	details := refusal.Details
	if len(details) == 0 {
		details = []string{refusal.Message}
	}
	for _, detail := range details {
		if i := v.addText(levelError, refusal.Reason, detail); i != nil && v.explained {
			i.why = v.explainer.UnknownField(detail)
		}
	}
}

// objectOutputs returns the formats in which crdkit admit prints objects, not findings.
func objectOutputs() []string { return []string{"yaml", "name", "diff"} }

// An objectPrinter prints admitted objects as the server stores them. It prints the errors
// of other objects on standard error.
type objectPrinter struct {
	textPrinter
	format  string
	objects objectWriter
}

func (p *objectPrinter) print(f *finding) error {
	if err := p.textPrinter.print(f); err != nil || f.verdict != admitted {
		return err
	}
	switch p.format {
	case "name":
		gvk := f.stored.GroupVersionKind()
		_, err := fmt.Fprintf(p.objects.out, "%s.%s/%s\n", strings.ToLower(gvk.Kind), gvk.Group, f.stored.GetName())
		return err
	case "diff":
		return p.diff(f)
	}
	return p.objects.yaml(f.stored.Object)
}

func (p *objectPrinter) diff(f *finding) error {
	var sent any
	if err := yaml.Unmarshal(f.doc.Text, &sent); err != nil {
		return err
	}
	before, err := yaml.Marshal(sent)
	if err != nil {
		return err
	}
	after, err := yaml.Marshal(f.stored.Object)
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.objects.out, unified(f.doc.Location(), f.doc.Location()+" as stored", string(before), string(after)))
	return err
}

// An admitLine is the output of -o json and -o jsonl for an object.
type admitLine struct {
	lineObject
	Decided  bool           `json:"decided"`
	Admitted bool           `json:"admitted"`
	Object   map[string]any `json:"object"`
	Errors   []lineError    `json:"errors"`
	Warnings []string       `json:"warnings"`
	Notes    []string       `json:"notes,omitempty"`
	Changes  []lineChange   `json:"changes"`
	Cost     uint64         `json:"cost"`
}

func (v *verdict) jsonLine() any {
	l := admitLine{
		lineObject: objectLine(v.doc), Decided: v.err == nil, Admitted: v.verdict == admitted,
		Errors: mapped(v.ofLevel(levelError), lineErrorOf), Warnings: []string{}, Notes: v.notes, Changes: []lineChange{},
	}
	if v.stored != nil && !v.noValues {
		l.Object = v.stored.Object
	}
	if r := v.result; r != nil {
		l.Warnings = append(l.Warnings, r.Warnings...)
		l.Cost = r.Cost
		l.Changes = changeLines(r.Changes)
	}
	return l
}
