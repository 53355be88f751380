package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/crdversion"
)

const versionsLong = `List the versions of definitions in order of priority.

The preferred version is the first served one. Objects are stored at the storage
version. The server warns of requests at a deprecated version.

CRD is a file, a directory, or - for standard input. If there are several definitions,
each table has the name of its definition above it. With -o json the output is an array
with an object for each version:

  {"definition","name","served","storage","deprecated","preferred","warning"}

The exit code is 0, or 2 if a definition cannot be read or served; the versions of all
others are listed.`

// A lister holds the flags of crdkit versions.
type lister struct {
	definitionInputs
	output string
}

func newVersions() *cobra.Command {
	l := &lister{}
	cmd := &cobra.Command{
		Use:     "versions [-c CRD]...",
		Short:   "List the versions of definitions in the order of their priority",
		Long:    versionsLong,
		Example: "  crdkit versions -c crd.yaml\n  crdkit versions -c crds/ -R -o json",
		Args:    oneDefinitionFlag(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := l.start(cmd); err != nil {
				return err
			}
			return l.run(cmd.Context())
		},
	}
	l.addTo(cmd)
	addOutput(cmd, &l.output, "table", "json")
	return cmd
}

func (l *lister) run(ctx context.Context) error {
	var all [][]listedVersion // by definition
	err := l.each(ctx, func(d *parsedDefinition) error {
		versions, err := listVersions(d.crd)
		if err == nil {
			all = append(all, versions)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := l.print(all); err != nil {
		return err
	}
	return l.exit()
}

func (l *lister) print(all [][]listedVersion) error {
	if l.output == "json" {
		return encodeJSON(l.out, slices.Concat([]listedVersion{}, slices.Concat(all...)), "    ")
	}
	out := textWriter{l.out}
	for i, versions := range all {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if len(all) > 1 && len(versions) > 0 {
			fmt.Fprintln(out, versions[0].Definition)
		}
		if err := printVersions(out, versions); err != nil {
			return err
		}
	}
	return nil
}

// A listedVersion is the output for a version.
type listedVersion struct {
	Definition string `json:"definition"`
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
	Preferred  bool   `json:"preferred"`
	Warning    string `json:"warning"`
}

func listVersions(crd *apiextensionsv1.CustomResourceDefinition) ([]listedVersion, error) {
	d, err := crdkit.Compile(crd)
	if err != nil {
		return nil, err
	}
	declared := crdversion.ByName(crd)
	preferred, _ := d.Preferred()
	var list []listedVersion
	for _, v := range d.Versions() {
		list = append(list, listedVersion{
			Definition: crd.Name,
			Name:       v.Name(),
			Served:     v.Served(),
			Storage:    v.IsStorage(),
			Deprecated: declared[v.Name()].Deprecated,
			Preferred:  v == preferred,
			Warning:    v.Warning(),
		})
	}
	return list, nil
}

func printVersions(out io.Writer, versions []listedVersion) error {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tSERVED\tSTORAGE\tDEPRECATED\tPREFERRED\tWARNING")
	for _, v := range versions {
		fmt.Fprintf(w, "%s\t%t\t%t\t%t\t%t\t%s\n", v.Name, v.Served, v.Storage, v.Deprecated, v.Preferred, v.Warning)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(table.String()) {
		if _, err := fmt.Fprintln(out, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}
