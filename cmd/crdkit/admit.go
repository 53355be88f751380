package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/manifest"
)

const admitLong = `Decide for each object in the files whether kube-apiserver would admit it, and
print what the server would write to storage.

The definitions (-c, a file or a directory) declare the kinds. Definitions among the
objects serve too, unless --no-input-definitions is given. Only those that an object
needs are compiled. A document is created, or, with --old, replaces the document of
the same kind, namespace and name there.

FILE has YAML, JSON or lines of JSON; the items of a list are judged one by one. FILE
may be a directory, with -R including its subdirectories, and - is standard input. JSON is
sent as application/json and YAML as application/yaml, which differ in numbers and
duplicate keys. What a directory has besides objects is passed over and counted.

crdkit judges custom resources only. Objects of other kinds, such as Deployments, are
errors, unless --unknown-kinds or --skip-kind says otherwise.

No webhook is called without --webhook: an object that only a webhook could convert to
the storage version is printed at its own version.

Standard output has, in the order of files and documents,

  text    the verdicts with their reasons as file:line:column, and a count
  json    an array with the lines of jsonl
  jsonl   one line of JSON for each object, with the object as it is stored
  sarif   SARIF 2.1.0, as code scanning reads it
  junit   JUnit's XML: a suite for each file, a case for each object
  github  annotations for GitHub Actions
  yaml    the admitted objects as they are stored; reasons go to standard error
  name    the names of the admitted objects; reasons go to standard error
  diff    what the server changes in the admitted objects, likewise

With --explain, a refusal says below each error what the server does not: the values that
decided, the closest branch of a oneOf, the field or value that was probably meant.

Objects are judged on all processors. On a terminal, a line says how many were judged.

The server does not validate an object that has unknown or duplicate fields. crdkit
reports what else is wrong with it, unless --all=false is given.

Defaults of flags are read from .crdkit.yaml in the working directory, or the nearest
directory above it that has one:

  definitions: [config/crd/bases]   # relative to the file
  skipKinds: [apps/Deployment, /ConfigMap]
  unknownKinds: warn
  kubernetesVersion: "1.33"
  severity: {ServerWarning: error}  # error, warning, note or off for warnings and notes

The exit code is 0 if all were admitted, 1 if some were refused, and 2 if some
could not be decided: a file that cannot be read, a kind or version that no
definition serves, a definition that the server could not serve.`

const admitExample = `  crdkit admit -c crd.yaml object.yaml
  crdkit admit -c crds/ -R -o jsonl manifests/
  crdkit admit -c crd.yaml --old before/ --subresource status after/object.yaml
  kustomize build . | crdkit admit -c crds/ -
  helm template --include-crds chart/ | crdkit admit --unknown-kinds skip -`

// An admitter is the state of crdkit admit: its flags and what they load.
type admitter struct {
	inputs
	output      string
	old         string
	subresource string
	validate    validateFlag
	version     kubernetesVersion
	showChanges bool
	all         bool
	severities  severities
	sources     sources
	explains    explainFlag
	explainers  explainers

	judged  int // objects
	fields  crdkit.FieldValidation
	olds    oldObjects
	printer *printer
	buffer  *bufio.Writer // standard output
}

func newAdmit() *cobra.Command {
	a := &admitter{}
	cmd := &cobra.Command{
		Use:     "admit [-c CRD]... FILE...",
		Short:   "Decide whether the server would admit objects, and print what it would store",
		Long:    admitLong,
		Example: admitExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.streams = streamsOf(cmd)
			config, err := a.useConfig(cmd)
			if err != nil {
				return err
			}
			a.version.useConfig(cmd, config)
			a.severities = config.Severity
			a.explains.settle(cmd, a.reasons())
			return a.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	addOutput(cmd, &a.output, admitOutputs()...)
	f.StringVar(&a.old, "old", "", "file or directory of the objects that are replaced")
	f.StringVar(&a.subresource, "subresource", "", "subresource that is written: status")
	a.validate.addTo(cmd)
	a.version.addTo(cmd)
	f.BoolVar(&a.showChanges, "show-changes", false, "print on standard error what the server changed in each object")
	f.BoolVar(&a.all, "all", true, "with --validate=strict, report what else is wrong with objects that have unknown or duplicate fields")
	a.explains.addTo(cmd)
	f.BoolVar(&a.explainers.noValues, "no-values", false, "leave the values of objects out of errors and explanations, and objects out of -o json and jsonl")
	a.inputs.addTo(cmd)
	a.webhook.addTo(cmd)
	return cmd
}

func (a *admitter) run(ctx context.Context, files []string) error {
	if err := a.checkFlags(); err != nil {
		return err
	}
	a.load(ctx, files, crdkit.KubernetesVersion(string(a.version)))
	if err := a.loadOld(ctx); err != nil {
		return err
	}
	if err := a.judgeAll(ctx, files); err != nil {
		return err
	}
	return a.end()
}

// judgeAll judges the objects of files on all processors and prints the verdicts in the
// order of the files.
func (a *admitter) judgeAll(ctx context.Context, files []string) error {
	bar := newProgress(a.errOut, "objects", admitted)
	defer bar.clear()
	shared := isTerminal(a.reasons()) // clear the progress line before output
	return eachInOrder(ctx, a.reader, files, func(o *manifest.Object) *verdict { return a.decide(ctx, o) }, func(v *verdict) error {
		if a.skips(v.doc) || a.setAside(v.doc, v.err) {
			return nil
		}
		a.judged++
		a.severities.apply(&v.finding)
		a.worst = max(a.worst, v.exitCode())
		bar.done(v.verdict())
		if shared {
			bar.clear()
		}
		return cmp.Or(a.printer.print(v), a.buffer.Flush())
	})
}

// reasons returns where the reasons of verdicts go.
func (a *admitter) reasons() io.Writer {
	if slices.Contains(objectOutputs(), a.output) {
		return a.errOut
	}
	return a.out
}

// admitOutputs returns the formats of crdkit admit.
func admitOutputs() []string { return append(findingOutputs(), objectOutputs()...) }

// errOnlyDefinitions is the warning about files without objects. It may be that a shell has
// expanded a pattern after -c.
var errOnlyDefinitions = errors.New("the files have definitions only, which crdkit check judges; to give several files of definitions, repeat -c or name their directory")

// end reports the kinds without a definition, and what was passed over.
func (a *admitter) end() error {
	if err := cmp.Or(a.printer.end(), a.buffer.Flush()); err != nil {
		return err
	}
	if a.printer.kinds.unknown {
		fmt.Fprintln(a.errOut, unknownKindsHint)
	}
	if a.judged == 0 && len(a.skipped.kinds) == 1 && a.skipped.kinds[0].gvk.Kind == definitionKind {
		a.warn(errOnlyDefinitions)
	}
	return a.inputs.end()
}

func (a *admitter) checkFlags() error {
	if err := a.inputs.checkFlags(); err != nil {
		return err
	}
	var err error
	if a.fields, err = a.validate.fields(); err != nil {
		return err
	}
	if a.subresource != "" && a.subresource != "status" {
		return fmt.Errorf("invalid --subresource %q; it is status", a.subresource)
	}
	if a.subresource != "" && a.old == "" {
		return fmt.Errorf("--subresource %s needs --old: the status of an object that does not exist cannot be written", a.subresource)
	}
	if a.explainers.noValues && (a.output == "yaml" || a.output == "diff") {
		return fmt.Errorf("--no-values does not go with --output %s, which prints objects", a.output)
	}
	a.buffer = bufio.NewWriter(a.out)
	a.printer = newPrinter(a.output, a.buffer, a.errOut, hasColors(a.out))
	a.printer.showChanges = a.showChanges
	return nil
}
