package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit"
)

const admitLong = `Decide for each object in the files whether kube-apiserver would admit it, and
print what the server would write to storage.

The definitions (-c) declare the kinds. A document is created, or, with --old,
replaces the document of the same kind, namespace and name there. Files named
*.json are sent as application/json and all others as application/yaml, which
differ in numbers and duplicate keys. FILE may be a directory, with -R including
its subdirectories, and - is standard input.

Standard output has only the admitted objects (yaml, json, name, diff), or one
line of JSON for each document (jsonl). Refusals and warnings go to standard error
with the texts of the server.

The exit code is 0 if all were admitted, 1 if some were refused, and 2 if some
could not be decided: a file that cannot be read, a kind or version that no
definition serves, a definition that the server could not serve.`

const admitExample = `  crdkit admit -c crd.yaml object.yaml
  crdkit admit -c crds/ -R -o jsonl manifests/
  crdkit admit -c crd.yaml --old before/ --subresource status after/object.yaml
  kustomize build . | crdkit admit -c crds/ -`

// An admitter is the state of crdkit admit: its flags and what they load.
type admitter struct {
	definitions []string
	output      string
	old         string
	subresource string
	validate    string
	version     kubernetesVersion
	showChanges bool
	recursive   bool

	fields  crdkit.FieldValidation
	kinds   *registry
	olds    oldObjects
	printer printer
	in      io.Reader
	out     io.Writer
	errOut  io.Writer
}

func newAdmit() *cobra.Command {
	a := &admitter{}
	cmd := &cobra.Command{
		Use:     "admit -c CRD... FILE...",
		Short:   "Decide whether the server would admit objects, and print what it would store",
		Long:    admitLong,
		Example: admitExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.in, a.out, a.errOut = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return a.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringArrayVarP(&a.definitions, "crd", "c", nil, "file or directory of CustomResourceDefinitions; may be repeated")
	f.StringVarP(&a.output, "output", "o", "yaml", "what to print: yaml, json, jsonl, name or diff")
	f.StringVar(&a.old, "old", "", "file or directory of the objects that are replaced")
	f.StringVar(&a.subresource, "subresource", "", "subresource that is written: status")
	f.StringVar(&a.validate, "validate", "strict", "unknown and duplicate fields: strict, warn or ignore")
	a.version.addTo(cmd)
	f.BoolVar(&a.showChanges, "show-changes", false, "print on standard error what the server changed in each object")
	f.BoolVarP(&a.recursive, "recursive", "R", false, "read directories below the directories that are named")
	if err := cmd.MarkFlagRequired("crd"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func (a *admitter) run(ctx context.Context, files []string) error {
	if err := a.checkFlags(); err != nil {
		return err
	}
	a.kinds = &registry{opts: []crdkit.Option{crdkit.KubernetesVersion(string(a.version))}}
	for _, name := range a.definitions {
		a.kinds.load(name, a.recursive, a.in)
	}
	for _, err := range a.kinds.errs {
		fmt.Fprintf(a.errOut, "error: %v\n", err)
	}
	if err := a.loadOld(ctx); err != nil {
		return err
	}
	worst := exitOK
	if len(a.kinds.errs) > 0 {
		worst = exitUndecided
	}
	for _, name := range files {
		for doc := range documents(name, a.recursive, a.in) {
			v := a.decide(ctx, doc)
			worst = max(worst, v.exitCode())
			if err := a.printer.print(v); err != nil {
				return err
			}
		}
	}
	if worst != exitOK {
		return exitCode(worst)
	}
	return nil
}

func (a *admitter) checkFlags() error {
	switch strings.ToLower(a.validate) {
	case "strict", "true":
		a.fields = crdkit.Strict
	case "warn":
		a.fields = crdkit.Warn
	case "ignore", "false":
		a.fields = crdkit.Ignore
	default:
		return fmt.Errorf("invalid --validate %q; it is strict, warn or ignore", a.validate)
	}
	if a.subresource != "" && a.subresource != "status" {
		return fmt.Errorf("invalid --subresource %q; it is status", a.subresource)
	}
	if a.subresource != "" && a.old == "" {
		return fmt.Errorf("--subresource %s needs --old: the status of an object that does not exist cannot be written", a.subresource)
	}
	if !slices.Contains(outputs, a.output) {
		return fmt.Errorf("invalid --output %q; it is %s", a.output, strings.Join(outputs, ", "))
	}
	a.printer = printer{format: a.output, out: a.out, errOut: a.errOut, showChanges: a.showChanges}
	return nil
}
