package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/manifest"
	"github.com/crdkit/crdkit/migration"
	crdschema "github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/validation"
)

const migrateHelp = `migrate -c NEW --old OLD [DIR...]
Plan the change of a definition, with a dry run on stored objects

Print what happens to stored objects if a new definition (-c) replaces the old one
(--old): a plan, and a dry run on the objects in files.

If -c or --old has several definitions, such as a directory or a bundle, each replaces
the one of the same name and has its own plan.

The plan lists the versions that can be dropped, what blocks the others, and the steps
of the migration in their order. It says whether the server refuses the new definition
because a stored version is missing. status.storedVersions of the old definition lists
the stored versions. Without a status, only its storage version counts.

The dry run reads each object at its version and writes it back with the new definition.
It prints the objects

  - that change,
  - that lose data,
  - that the server would refuse,
  - that break the new definition, and are admitted only as long as the value does not
    change (ratcheting).

Objects of other kinds in directories are skipped.

The exit code is 0 if all objects can be migrated, 1 if the server refuses the
definition or an object, or data is lost, and 2 if something cannot be read or the
command line is wrong.

Examples:
  crdkit migrate -c new.yaml --old old.yaml backup/ -R
  kubectl get crd crontabs.example.com -o yaml > old.yaml
  crdkit migrate -c new.yaml --old old.yaml -o jsonl backup/`

type migrator struct {
	session
	new, old  string
	atVersion string
	opts      []migration.Option

	compiled  *crdkit.Definition
	counts    map[migration.Outcome]int
	ratcheted int                       // number of objects that are admitted only by ratcheting
	defined   map[schema.GroupKind]bool // the kinds of all definitions
	read      bool                      // the files were read for an earlier definition
}

func newMigrate() *cobra.Command {
	m := &migrator{defined: map[schema.GroupKind]bool{}}
	f := m.command(migrateHelp, cobra.ArbitraryArgs, m.run).Flags()
	f.StringVarP(&m.new, "crd", "c", "", "file or directory of the new CustomResourceDefinitions")
	f.StringVar(&m.old, "old", "", "file or directory of the old CustomResourceDefinitions")
	f.StringVar(&m.atVersion, "at-version", "", "version to read and write objects at (default: the storage version)")
	m.cmd.ValidArgsFunction = completeManifests
	m.addOutput("text", "jsonl")
	m.addRecursive()
	m.webhook.addTo(m.cmd)
	m.require("crd", "old")
	return m.cmd
}

func (m *migrator) run(ctx context.Context, files []string) error {
	if m.output == "text" {
		m.out = textWriter{m.out}
	}
	if m.atVersion != "" {
		m.opts = []migration.Option{migration.AtVersion(m.atVersion)}
	}
	pairs, err := m.pairs(ctx)
	if err != nil {
		return err
	}
	for i, pair := range pairs {
		if m.output == "text" && len(pairs) > 1 {
			fmt.Fprintf(m.out, "%s%s\n", strings.Repeat("\n", min(i, 1)), pair.new.crd.Name)
		}
		if err := m.migrate(ctx, pair.old.crd, pair.new.crd, files); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		m.reportPassedOver()
	}
	return nil
}

// migrate prints the plan for a definition, and the dry run on the objects in files.
func (m *migrator) migrate(ctx context.Context, old, crd *apiextensionsv1.CustomResourceDefinition, files []string) (err error) {
	if err := m.webhook.apply(ctx, crd, true); err != nil {
		return err
	}
	if m.compiled, err = crdkit.Compile(crd); err != nil {
		return err
	}
	plan := migration.NewPlan(old, crd)
	if err := m.printPlan(crd.Name, plan); err != nil {
		return err
	}
	if len(plan.Errors) > 0 {
		m.worst = max(m.worst, exitRefused)
	}
	if len(files) == 0 {
		return nil
	}
	m.counts, m.ratcheted = map[migration.Outcome]int{}, 0
	err = m.dryRun(ctx, files)
	m.read = true
	return err
}

// dryRun rewrites the objects in files, and prints the results in order.
func (m *migrator) dryRun(ctx context.Context, files []string) error {
	for _, err := range migration.DryRun(ctx, m.compiled, migration.Objects(), m.opts...) {
		return err // a dry run is not possible
	}
	reader := m.reader
	if m.read {
		reader = reader.Separate()
	}
	work := func(o *manifest.Object) rewritten { return m.rewrite(ctx, o) }
	if err := inOrder(ctx, reader.Objects(ctx, files...), work, m.report); err != nil {
		return err
	}
	m.failed.report(m.undecided)
	m.failed = kindCounts{}
	if m.output == "text" {
		outcomes := []migration.Outcome{migration.Unchanged, migration.Changed, migration.Lossy, migration.Failed}
		parts := mapped(outcomes, func(o migration.Outcome) string { return fmt.Sprintf("%d %s", m.counts[o], o) })
		if m.ratcheted > 0 {
			parts = append(parts, fmt.Sprintf("%d admitted only by ratcheting", m.ratcheted))
		}
		fmt.Fprintf(m.out, "\nObjects: %s\n", strings.Join(parts, ", "))
	}
	return nil
}

// A rewritten is the result of the dry run for one object, or an error. For an object of
// another kind, it has neither.
type rewritten struct {
	from   *manifest.Object // without its text
	result *migration.Rewrite
	err    error
}

func (m *migrator) rewrite(ctx context.Context, o *manifest.Object) rewritten {
	r := rewritten{from: withoutText(o)}
	if o.Err == nil && o.GroupKind() != m.compiled.GroupKind() {
		return r
	}
	obj, err := objectOf(o)
	if r.err = err; err != nil {
		return r
	}
	for r.result, r.err = range migration.DryRun(ctx, m.compiled, migration.Objects(obj), m.opts...) {
		break
	}
	if r.result != nil && (m.webhook.needs(r.result.Failure) || m.webhook.needs(r.result.Irreversible)) {
		r.err = errNeedsWebhook
	}
	return r
}

// report prints the result of one object. Each dry run reads all files. Only the first run
// reports unreadable objects and counts objects without a definition.
func (m *migrator) report(one rewritten) error {
	o, r := one.from, one.result
	switch {
	case o.Err != nil && m.read:
		return nil
	case one.err != nil:
		m.worst = exitUndecided
		if m.output == "jsonl" {
			return encodeJSON(m.out, lineOf(o, nil, one.err), "")
		}
		m.fail(o, one.err)
		return nil
	case r == nil:
		if !m.read && !m.defined[o.GroupKind()] {
			m.skipped.add(o, nil)
		}
		return nil
	}
	m.counts[r.Outcome()]++
	if len(ratcheted(r)) > 0 {
		m.ratcheted++
	}
	if outcome := r.Outcome(); outcome == migration.Failed || outcome == migration.Lossy {
		m.worst = max(m.worst, exitRefused)
	}
	if m.output == "jsonl" {
		return encodeJSON(m.out, lineOf(o, r, nil), "")
	}
	return m.printRewrite(o, r)
}

func (m *migrator) printPlan(name string, p *migration.Plan) error {
	if m.output == "jsonl" {
		return encodeJSON(m.out, planLineOf(name, p), "")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Objects are written at %s, and may be stored at %s", p.Storage, strings.Join(p.Stored, ", "))
	if p.Assumed {
		b.WriteString(" (assumed: the old definition has no status.storedVersions)")
	}
	b.WriteString("\n\nVersions:\n")
	for _, v := range p.Versions {
		switch {
		case isOnlyVersion(p, v):
			fmt.Fprintf(&b, "  %s is the only version\n", v.Name)
			continue
		case !v.InNew && v.CanDrop():
			fmt.Fprintf(&b, "  %s is dropped\n", v.Name)
		case v.CanDrop():
			fmt.Fprintf(&b, "  %s can be dropped\n", v.Name)
		default:
			fmt.Fprintf(&b, "  %s cannot be dropped\n", v.Name)
		}
		for _, blocker := range v.Blockers {
			fmt.Fprintf(&b, "    %s\n", blocker.Description())
		}
	}
	b.WriteString("\nSteps:\n")
	for i, s := range p.Steps {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, s)
	}
	for _, err := range p.Errors {
		fmt.Fprintf(m.errOut, "refused: %v\n", err)
	}
	_, err := io.WriteString(m.out, b.String())
	return err
}

// isOnlyVersion reports whether v is the only version, which cannot be dropped.
func isOnlyVersion(p *migration.Plan, v migration.VersionPlan) bool {
	return len(p.Versions) == 1 && v.InNew && v.Name == p.Storage
}

func (m *migrator) printRewrite(o *manifest.Object, r *migration.Rewrite) error {
	kept := ratcheted(r)
	if r.Outcome() == migration.Unchanged && len(kept) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s: %s %s\n", o.Location(), r.Object.GetName(), r.Outcome())
	if r.Failure != nil {
		fmt.Fprintf(&b, "  %v\n", r.Failure)
	}
	for _, c := range r.Changes {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	for _, p := range r.Lost {
		fmt.Fprintf(&b, "  lost %s\n", p)
	}
	for _, text := range kept {
		fmt.Fprintf(&b, "  admitted only while it does not change: %s\n", text)
	}
	if r.Irreversible != nil {
		fmt.Fprintf(&b, "  cannot be read at %s: %v\n", r.From, r.Irreversible)
	}
	_, err := io.WriteString(m.out, b.String())
	return err
}

func ratcheted(r *migration.Rewrite) []string {
	if r.Failure != nil || r.Result == nil {
		return nil
	}
	return mapped(r.Result.Ratcheted, func(e *validation.Error) string { return short(e.Error()) })
}

// pairs reads the definitions of -c and --old, and pairs them by name. If each flag gives one
// definition, the two are a pair even with different names.
func (m *migrator) pairs(ctx context.Context) ([]*definitionPair, error) {
	olds, news := namedDefinitions(ctx, m.reader.Separate(), m.old), namedDefinitions(ctx, m.reader.Separate(), m.new)
	all, err := pairDefinitions(ctx, olds, news, "", "")
	if err != nil {
		return nil, err
	}
	if len(all) == 2 && all[0].old == nil && all[1].new == nil {
		all[0].old, all = all[1].old, all[:1]
	}
	var pairs []*definitionPair
	for _, p := range all {
		switch {
		case p.err != nil:
			return nil, locate(p.new.Object, p.err)
		case p.old != nil && p.new != nil:
			pairs = append(pairs, p)
			m.defined[schema.GroupKind{Group: p.new.crd.Spec.Group, Kind: p.new.crd.Spec.Names.Kind}] = true
		}
	}
	if len(pairs) == 0 {
		return nil, cmp.Or(ctx.Err(), errors.New("no definition is both in -c and in --old"))
	}
	switch unpaired := len(all) - len(pairs); {
	case unpaired == 1:
		fmt.Fprintln(m.errOut, "passed over: 1 definition that only one of -c and --old has")
	case unpaired > 1:
		fmt.Fprintf(m.errOut, "passed over: %d definitions that only one of -c and --old has\n", unpaired)
	}
	return pairs, nil
}

// A planLine is the line of -o jsonl for a definition. The lines of its objects follow.
type planLine struct {
	Definition string        `json:"definition"`
	Storage    string        `json:"storage"`
	Stored     []string      `json:"storedVersions"`
	Assumed    bool          `json:"assumed"`
	Versions   []planVersion `json:"versions"`
	Steps      []string      `json:"steps"`
	Errors     []string      `json:"errors"`
}

type planVersion struct {
	Name     string   `json:"name"`
	CanDrop  bool     `json:"canDrop"`
	Blockers []string `json:"blockers"`
}

func planLineOf(name string, p *migration.Plan) planLine {
	l := planLine{name, p.Storage, p.Stored, p.Assumed, []planVersion{}, texts(p.Steps), texts(p.Errors)}
	for _, v := range p.Versions {
		version := planVersion{Name: v.Name, CanDrop: v.CanDrop(), Blockers: []string{}}
		for _, blocker := range v.Blockers {
			if isOnlyVersion(p, v) {
				break
			}
			version.Blockers = append(version.Blockers, blocker.Description())
		}
		l.Versions = append(l.Versions, version)
	}
	return l
}

type rewriteLine struct {
	lineOrigin
	Namespace    string         `json:"namespace,omitempty"`
	Name         string         `json:"name"`
	From         string         `json:"from"`
	Outcome      string         `json:"outcome"`
	Changes      []lineChange   `json:"changes,omitempty"`
	Lost         []string       `json:"lost,omitempty"`
	Error        string         `json:"error,omitempty"`
	Ratcheted    []string       `json:"ratcheted,omitempty"`
	Irreversible string         `json:"irreversible,omitempty"`
	Stored       map[string]any `json:"stored,omitempty"`
}

// lineOf returns the line of an object: the result r of the dry run, or err.
func lineOf(o *manifest.Object, r *migration.Rewrite, err error) rewriteLine {
	l := rewriteLine{lineOrigin: originOf(o), Namespace: o.Namespace, Name: o.Name}
	if err != nil {
		l.Outcome, l.Error = undecided, inFile(err.Error(), o.Line)
		return l
	}
	l.From, l.Outcome, l.Ratcheted, l.Changes = r.From, string(r.Outcome()), ratcheted(r), changeLines(r.Changes)
	l.Lost = mapped(r.Lost, crdschema.Path.Pointer)
	if r.Failure != nil {
		l.Error = r.Failure.Error()
	}
	if r.Irreversible != nil {
		l.Irreversible = r.Irreversible.Error()
	}
	if r.Stored != nil {
		l.Stored = r.Stored.Object
	}
	return l
}
