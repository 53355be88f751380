package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
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
