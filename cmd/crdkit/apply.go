package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const applyHelp = `apply [-c CRD]... --manager NAME [--live FILE]... FILE...
Show what server-side apply would do to live objects

Show what happens to the objects in --live if a manager applies the files:

  - objects that are created, changed or unchanged,
  - fields that change their value or owner,
  - fields that are removed, and why,
  - conflicts with other managers.

No file and no cluster is changed.

--live names files or directories with the objects of a cluster, as kubectl get -o yaml
--show-managed-fields prints them. Objects that are not there are created. Files are
applied in their order. Each sees the results of the files before it.

FILE may be a directory, with -R including its subdirectories, or - for standard input.

With -o yaml or json, standard output has the objects that the server would store. With
-o jsonl it has one line for each applied object, with its changes.

The exit code is 0 if all are admitted, 1 if some conflict or are refused, and 2 if
something cannot be read or the command line is wrong.

Examples:
  kubectl get widgets -A -o yaml --show-managed-fields > live.yaml
  crdkit apply -c crd.yaml --live live.yaml --manager deployer manifests/
  crdkit apply -c crd.yaml --live live.yaml --manager deployer --force -o yaml widget.yaml`

type applyCommand struct {
	session
	live    []string
	manager string
	force   bool
	now     string

	clock    func() time.Time
	stored   map[objectKey]*unstructured.Unstructured
	appliers map[string]map[string]*apply.Applier // by definition and version
	schemas  apply.Schemas                        // of the appliers
	objects  objectWriter
}

func newApply() *cobra.Command {
	a := &applyCommand{stored: map[objectKey]*unstructured.Unstructured{}, appliers: map[string]map[string]*apply.Applier{}}
	f := a.objectCommand(applyHelp, a.run).Flags()
	f.StringArrayVar(&a.live, "live", nil, "file or directory with the objects of a cluster; may be repeated")
	f.StringVar(&a.manager, "manager", "", "name of the field manager")
	f.BoolVar(&a.force, "force", false, "take over fields of other managers")
	f.StringVar(&a.now, "now", "", "time of the apply, as 2006-01-02T15:04:05Z (default: the clock)")
	a.addOutput("text", "yaml", "json", "jsonl")
	a.require("manager")
	return a.cmd
}

func (a *applyCommand) run(ctx context.Context, files []string) error {
	at, err := parseNow(a.now)
	if err != nil {
		return err
	}
	a.clock, a.objects.out = func() time.Time { return at }, a.out
	a.load(ctx, files)
	a.readLive(ctx)
	err = eachObject(ctx, &a.session, files, func(o *manifest.Object) (*unstructured.Unstructured, error) {
		if _, err := a.kinds.version(ctx, o.GroupVersionKind); err != nil {
			return nil, err
		}
		return objectOf(o)
	}, func(o *manifest.Object, config *unstructured.Unstructured, err error) error {
		if err == nil {
			err = a.apply(ctx, o, config)
		}
		if err != nil && ctx.Err() == nil {
			a.fail(o, err)
		}
		return nil
	})
	if err == nil {
		a.end()
	}
	return err
}

// readLive reads the objects of --live. It passes over objects without a definition.
func (a *applyCommand) readLive(ctx context.Context) {
	for o := range a.reader.Separate().Objects(ctx, a.live...) {
		if o.Err == nil && !a.kinds.has(o.GroupVersionKind) {
			continue
		}
		u, err := objectOf(o)
		if err != nil {
			a.undecided(locate(o, err))
			continue
		}
		a.stored[a.keyOf(ctx, u)] = u
	}
}

func (a *applyCommand) keyOf(ctx context.Context, u *unstructured.Unstructured) objectKey {
	return a.kinds.key(ctx, u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName())
}

// apply applies one configuration, and prints the result.
func (a *applyCommand) apply(ctx context.Context, o *manifest.Object, config *unstructured.Unstructured) error {
	version, err := a.kinds.version(ctx, o.GroupVersionKind)
	if err != nil {
		return err
	}
	d := version.Definition()
	if a.appliers[d.Name()] == nil {
		if a.appliers[d.Name()], err = apply.NewAll(d, a.kinds.declared(d.GroupKind()), apply.Clock(a.clock), apply.Share(&a.schemas)); err != nil {
			return err
		}
	}
	k := a.keyOf(ctx, config)
	var live []*unstructured.Unstructured
	if stored := a.stored[k]; stored != nil {
		read, _, err := version.Read(ctx, stored)
		if err != nil {
			return fmt.Errorf("reading the live object: %w", err)
		}
		live = append(live, read)
	}
	steps, err := a.appliers[d.Name()][version.Name()].Preview(ctx, live, []*unstructured.Unstructured{config}, a.manager, a.force)
	if err != nil {
		return err
	}
	if res := steps[0].Result; res.Object != nil {
		if a.stored[k], err = version.Store(ctx, res.Object); err != nil {
			return err
		}
	}
	return a.print(o, steps[0])
}

func (a *applyCommand) print(o *manifest.Object, s apply.Step) error {
	res := s.Result
	if res.Err() != nil {
		a.worst = max(a.worst, exitRefused)
	}
	if a.output == "jsonl" {
		return encodeJSON(a.out, applyLineOf(o, s), "")
	}
	for _, text := range res.Warnings {
		fmt.Fprintf(a.errOut, "Warning: %v\n", locate(o, errors.New(text)))
	}
	if a.output != "text" {
		if err := res.Err(); err != nil {
			fmt.Fprintf(a.errOut, "refused: %v\n", locate(o, err))
			return nil
		}
		if a.output == "json" {
			return encodeJSON(a.out, res.Object.Object, "  ")
		}
		return a.objects.yaml(res.Object.Object)
	}
	lines := texts(res.Conflicts)
	if err := res.Err(); err != nil && len(lines) == 0 {
		lines = append(lines, err.Error())
	}
	removed := map[string]bool{}
	for _, d := range s.Dropped {
		removed[d.Path] = d.Removed
	}
	// Removed fields are printed with s.Dropped, which says why.
	changes := slices.DeleteFunc(slices.Clone(s.Changes), func(c apply.FieldChange) bool { return removed[c.Path] })
	out := textWriter{a.out}
	fmt.Fprintf(out, "%s: %s: %s\n", s.Action(), o.Location(), objectTitle(s.Config.GetKind(), s.Config.GetNamespace(), s.Config.GetName()))
	for _, line := range slices.Concat(lines, texts(changes), texts(s.Dropped)) {
		fmt.Fprintf(out, "  %s\n", line)
	}
	return nil
}

// An applyLine is a line of crdkit apply -o jsonl for a configuration.
type applyLine struct {
	lineObject
	Action    string          `json:"action"`
	Changes   []applyChange   `json:"changes"`
	Dropped   []apply.Drop    `json:"dropped"`
	Conflicts []applyConflict `json:"conflicts"`
	Warnings  []string        `json:"warnings"`
	Error     string          `json:"error,omitempty"`
}

// An applyChange is a changed field. A value is null if the object does not have the field.
type applyChange struct {
	Path         string        `json:"path"`
	Before       any           `json:"before"`
	After        any           `json:"after"`
	OwnersBefore []apply.Owner `json:"ownersBefore"`
	OwnersAfter  []apply.Owner `json:"ownersAfter"`
}

type applyConflict struct {
	Path    string      `json:"path"`
	Owner   apply.Owner `json:"owner"`
	Current any         `json:"current"`
	Wanted  any         `json:"wanted"`
}

func applyLineOf(o *manifest.Object, s apply.Step) applyLine {
	l := applyLine{
		lineObject: lineObject{originOf(o), lineKind(s.Config.GroupVersionKind()), s.Config.GetNamespace(), s.Config.GetName()},
		Action:     s.Action(),
		Changes: mapped(s.Changes, func(c apply.FieldChange) applyChange {
			return applyChange{c.Path, c.Before, c.After, listed(c.OwnersBefore), listed(c.OwnersAfter)}
		}),
		Dropped: listed(s.Dropped),
		Conflicts: mapped(s.Result.Conflicts, func(c apply.Conflict) applyConflict {
			return applyConflict{c.Field, apply.Owner{Manager: c.Manager, Operation: c.Operation, Subresource: c.Subresource}, c.Current, c.Wanted}
		}),
		Warnings: texts(s.Result.Warnings),
	}
	if err := s.Result.Err(); err != nil {
		l.Error = err.Error()
	}
	return l
}
