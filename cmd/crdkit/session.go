package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

// A session is one run of a command: its streams, the common flags, and what they load.
type session struct {
	cmd         *cobra.Command
	in          io.Reader
	out, errOut io.Writer
	worst       int // exit code so far
	config      *configFile

	definitions        []string
	noInputDefinitions bool
	recursive          bool
	unknownKinds       string
	skipKinds          []string
	output             string
	webhook            webhookFlag
	version            string // of Kubernetes
	validate           string
	explains           bool

	fields  crdkit.FieldValidation // from validate
	reader  *manifest.Reader
	kinds   *definitions
	skipped kindCounts
	failed  kindCounts // kinds with an error that all their objects have
}

// command returns a command that calls run. help has the usage, a one-line summary, the
// description and examples. config names the flags that the configuration file can set. If
// all these flags are on the command line, the file is not read.
func (s *session) command(help string, args cobra.PositionalArgs, run func(context.Context, []string) error, config ...string) *cobra.Command {
	head, examples, _ := strings.Cut(help, "\n\nExamples:\n")
	head, long, _ := strings.Cut(head, "\n\n")
	use, short, _ := strings.Cut(head, "\n")
	s.cmd = &cobra.Command{Use: use, Short: short, Long: long, Example: examples, Args: args, ValidArgsFunction: cobra.NoFileCompletions}
	s.cmd.RunE = func(cmd *cobra.Command, args []string) error {
		s.in, s.out, s.errOut = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
		s.reader = manifest.NewReader(s.in, s.recursive)
		if slices.ContainsFunc(config, func(key string) bool { return !cmd.Flags().Changed(key) }) {
			if err := s.configure(config); err != nil {
				return err
			}
		}
		if err := run(cmd.Context(), args); err != nil {
			return err
		}
		return s.exit()
	}
	return s.cmd
}

func (s *session) configure(keys []string) (err error) {
	if s.config, err = readConfig(); err != nil {
		return err
	}
	for _, key := range keys {
		f := s.cmd.Flags().Lookup(key)
		for _, value := range s.config.flag(key) {
			if !f.Changed {
				err = cmp.Or(err, f.Value.Set(value))
			}
		}
	}
	return err
}

// definitionCommand returns a command that reads definitions. It refuses more than
// maxArgs arguments: a shell may have expanded a pattern after -c.
func (s *session) definitionCommand(help string, maxArgs int, run func(context.Context, []string) error) *cobra.Command {
	args := func(_ *cobra.Command, args []string) error {
		if len(args) > maxArgs {
			return fmt.Errorf("unexpected argument %q; to give several files of definitions, repeat -c or name their directory", args[maxArgs])
		}
		return nil
	}
	cmd := s.command(help, args, func(ctx context.Context, args []string) error {
		if len(s.definitions) == 0 {
			return fmt.Errorf("name definitions with -c, or in %s", configName)
		}
		return run(ctx, args)
	}, "crd")
	s.addDefinitions()
	return cmd
}

// objectCommand returns a command that reads objects and definitions. It adds the flags that
// all these commands have. config is explained at [session.command].
func (s *session) objectCommand(help string, run func(context.Context, []string) error, config ...string) *cobra.Command {
	cmd := s.command(help, cobra.MinimumNArgs(1), func(ctx context.Context, files []string) error {
		for _, kind := range s.skipKinds {
			if group, name, ok := strings.Cut(kind, "/"); !ok || name == "" || strings.Contains(name, "/") {
				return fmt.Errorf("invalid --skip-kind %q; it is GROUP/KIND, with an empty GROUP for the core group: /%s", kind, group)
			}
		}
		return run(ctx, files)
	}, append(config, "crd", "skip-kind", "unknown-kinds")...)
	cmd.ValidArgsFunction = completeManifests
	s.addDefinitions()
	s.addRecursive()
	f := cmd.Flags()
	f.BoolVar(&s.noInputDefinitions, "no-input-definitions", false, "use only the definitions in -c, not those among the objects")
	s.addChoice(&s.unknownKinds, "unknown-kinds", "", "kinds without a definition", unknownKindsValues()...)
	f.StringArrayVar(&s.skipKinds, "skip-kind", nil, "GROUP/KIND of objects to skip, such as apps/Deployment, apps/* or /ConfigMap; may be repeated")
	return cmd
}

func (s *session) undecided(err error) {
	s.worst = exitUndecided
	fmt.Fprintf(s.errOut, "error: %v\n", err)
}

func (s *session) warn(err error) { fmt.Fprintf(s.errOut, "Warning: %v\n", err) }

func (s *session) exit() error {
	if s.worst != exitOK {
		return exitCode(s.worst)
	}
	return nil
}

// allDefinitions returns the definitions of -c. If some cannot be read, it prints their
// errors and returns an exitCode.
func (s *session) allDefinitions(ctx context.Context) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	err := s.eachDefinition(ctx, func(d *parsedDefinition) error {
		crds = append(crds, d.crd)
		return nil
	})
	return crds, cmp.Or(err, s.exit())
}

// eachDefinition calls use with each definition of -c. It prints errors and goes on.
func (s *session) eachDefinition(ctx context.Context, use func(*parsedDefinition) error) error {
	for o := range namedDefinitions(ctx, s.reader, s.definitions...) {
		d, err := parsed(o)
		if err == nil {
			err = use(d)
		}
		if err != nil {
			s.undecided(locate(o, err))
		}
	}
	return ctx.Err()
}

// load loads the definitions of -c and the definitions in files. If a kind has several
// definitions, the first of -c is used, else the first in files.
func (s *session) load(ctx context.Context, files []string, opts ...crdkit.Option) {
	s.kinds = &definitions{
		reader: s.reader.Separate(), webhook: s.webhook, catalog: crdkit.NewCatalog(opts...), byKind: map[schema.GroupKind]*knownDefinition{},
	}
	s.kinds.load(ctx, s.definitions, s.undecided)
	s.reader.IsKind = s.kinds.has
	if s.noInputDefinitions {
		return
	}
	for o := range s.reader.Mentioning(definitionKind).Objects(ctx, files...) {
		if o.Err != nil || o.Defines.Empty() {
			continue // the command reports it later
		}
		if k := s.kinds.byKind[o.Defines]; k != nil && k.given {
			continue
		}
		if err := s.kinds.add(o); err != nil {
			s.warn(locate(o, fmt.Errorf("%w, which is used", err)))
		}
	}
}

// eachObject calls work(o) for each object o that is not passed over, on all processors. It
// calls use(o, result, err) in the order of the objects, where o has no text. err
// is an error of o or of work.
func eachObject[T any](ctx context.Context, s *session, files []string, work func(*manifest.Object) (T, error), use func(*manifest.Object, T, error) error) error {
	type result struct {
		from  *manifest.Object
		value T
		err   error
	}
	return inOrder(ctx, s.reader.Objects(ctx, files...), func(o *manifest.Object) result {
		r := result{from: withoutText(o), err: o.Err}
		if o.Err == nil && !s.passesOver(o) {
			r.value, r.err = work(o)
		}
		return r
	}, func(r result) error {
		if s.skips(r.from, r.err) {
			return nil
		}
		return use(r.from, r.value, r.err)
	})
}

// skips reports whether the command skips o, and counts it. err is the error of o.
func (s *session) skips(o *manifest.Object, err error) bool {
	if !s.passesOver(o) && (s.unknownKinds == unknownError || !isUnknownKind(err)) {
		return false
	}
	s.skipped.add(o, nil)
	return true
}

func (s *session) passesOver(o *manifest.Object) bool {
	return o.Err == nil && (o.IsDefinition() && !s.noInputDefinitions || s.wantsSkipped(o.GroupKind()))
}

func (s *session) wantsSkipped(kind schema.GroupKind) bool {
	return slices.ContainsFunc(s.skipKinds, func(skip string) bool {
		group, name, _ := strings.Cut(skip, "/")
		return group == kind.Group && (name == kind.Kind || name == "*")
	})
}

// fail reports the error of an object. [session.end] reports an error about a kind once.
func (s *session) fail(o *manifest.Object, err error) {
	if isOfKind(err) {
		s.failed.add(o, err)
	} else {
		s.undecided(locate(o, err))
	}
}

// end reports the errors about kinds, and the skipped objects and files.
func (s *session) end() {
	s.failed.report(s.undecided)
	s.finish()
}

// finish reports the skipped objects and files, and may print a hint.
func (s *session) finish() {
	if slices.ContainsFunc(s.failed.list, func(k *kindCount) bool { return isUnknownKind(k.err) }) {
		fmt.Fprintln(s.errOut, "hint: crdkit judges kinds that have a definition. Name more definitions with -c, or pass over other kinds with --skip-kind GROUP/KIND or --unknown-kinds skip")
	}
	for _, k := range s.skipped.list {
		if s.unknownKinds == unknownWarn && !s.kinds.has(k.gvk) && !s.wantsSkipped(k.gvk.GroupKind()) && k.gvk.Kind != definitionKind {
			s.warn(fmt.Errorf("%w: %s", noMatch{gvk: k.gvk}, k.objects()))
		}
	}
	s.reportPassedOver()
}

func (s *session) reportPassedOver() {
	var parts []string
	for _, k := range s.skipped.list {
		parts = append(parts, fmt.Sprintf("%d %s", k.n, k.gvk.GroupKind()))
	}
	if files := s.reader.PassedOver().String(); files != "" {
		parts = append(parts, files)
	}
	if len(parts) > 0 {
		fmt.Fprintf(s.errOut, "passed over: %s\n", strings.Join(parts, ", "))
	}
}

// namedDefinitions yields the definitions of files and directories. If a name has no
// definition or cannot be read, it yields an object with an error.
func namedDefinitions(ctx context.Context, r *manifest.Reader, names ...string) iter.Seq[*manifest.Object] {
	return func(yield func(*manifest.Object) bool) {
		for _, name := range names {
			found := false
			for o := range r.Objects(ctx, name) {
				if !o.IsDefinition() && (o.Err == nil || errors.Is(o.Err, manifest.ErrNotObject)) {
					continue
				}
				found = true
				if !yield(o) {
					return
				}
			}
			if !found && ctx.Err() == nil && !yield(unusable(name, errors.New("no CustomResourceDefinition in it"))) {
				return
			}
		}
	}
}

func unusable(name string, err error) *manifest.Object {
	return &manifest.Object{Document: &manifest.Document{File: name}, Err: err}
}
