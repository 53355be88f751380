package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const ownersHelp = `owners FILE...
List who owns the fields of objects

List the owned fields of objects, each with its owners and their last writes. The files
have objects as kubectl get -o yaml --show-managed-fields prints them. They need no
definition.

FILE may be a directory, with -R including its subdirectories, or - for standard input.

The exit code is 0, or 2 if an object cannot be read or its managedFields are malformed.

Examples:
  kubectl get widget w -o yaml --show-managed-fields | crdkit owners -
  crdkit owners --manager deployer live/`

type ownersCommand struct {
	session
	manager string
}

func newOwners() *cobra.Command {
	n := &ownersCommand{}
	cmd := n.command(ownersHelp, cobra.MinimumNArgs(1), func(ctx context.Context, files []string) error {
		return inOrder(ctx, n.reader.Objects(ctx, files...), func(o *manifest.Object) *manifest.Object { return o }, n.object)
	})
	cmd.ValidArgsFunction = completeManifests
	cmd.Flags().StringVar(&n.manager, "manager", "", "list only fields of this manager")
	n.addRecursive()
	return cmd
}

func (n *ownersCommand) object(o *manifest.Object) error {
	fields, err := n.fields(o)
	if err != nil {
		n.undecided(locate(o, err))
		return nil
	}
	if o.IsDefinition() && len(fields) == 0 {
		return nil
	}
	out := textWriter{n.out}
	fmt.Fprintf(out, "%s: %s\n", o.Location(), objectTitle(o.Kind, o.Namespace, o.Name))
	for _, f := range fields {
		fmt.Fprintf(out, "  %s: %s\n", f.Path, strings.Join(texts(f.Owners), ", "))
	}
	return nil
}

func (n *ownersCommand) fields(o *manifest.Object) ([]apply.Field, error) {
	obj, err := objectOf(o)
	if err != nil {
		return nil, err
	}
	all, err := apply.Owners(obj)
	if err != nil || n.manager == "" {
		return all, err
	}
	return slices.DeleteFunc(all, func(f apply.Field) bool {
		return !slices.ContainsFunc(f.Owners, func(owner apply.Owner) bool { return owner.Manager == n.manager })
	}), nil
}
