package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/manifest"
)

const versionsLong = `List the versions of a definition in order of priority.

The preferred version is the first served one. Objects are stored at the storage
version. The server warns of requests at a deprecated version.

With -o json the output is an array with an object for each version:

  {"name","served","storage","deprecated","preferred","warning"}

The exit code is 0, or 2 if the definition cannot be read or served.`

func newVersions() *cobra.Command {
	var definition, output string
	cmd := &cobra.Command{
		Use:     "versions -c CRD",
		Short:   "List the versions of a definition in the order of their priority",
		Long:    versionsLong,
		Example: "  crdkit versions -c crd.yaml\n  crdkit versions -c crd.yaml -o json",
		Args:    oneDefinitionFlag(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			versions, err := listVersions(cmd.Context(), definition, cmd.InOrStdin())
			if err != nil {
				return err
			}
			if output == "json" {
				return encodeJSON(cmd.OutOrStdout(), versions, "    ")
			}
			return printVersions(textWriter{cmd.OutOrStdout()}, versions)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&definition, "crd", "c", "", "file of the CustomResourceDefinition")
	addOutput(cmd, &output, "table", "json")
	if err := cmd.MarkFlagRequired("crd"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// A listedVersion is the output for a version.
type listedVersion struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
	Preferred  bool   `json:"preferred"`
	Warning    string `json:"warning"`
}

func listVersions(ctx context.Context, definition string, in io.Reader) ([]listedVersion, error) {
	crd, err := readDefinition(ctx, manifest.NewReader(in, false), definition)
	if err != nil {
		return nil, err
	}
	d, err := crdkit.Compile(crd)
	if err != nil {
		return nil, err
	}
	deprecated := map[string]bool{}
	for _, v := range crd.Spec.Versions {
		deprecated[v.Name] = v.Deprecated
	}
	preferred, _ := d.Preferred()
	var list []listedVersion
	for _, v := range d.Versions() {
		list = append(list, listedVersion{
			Name:       v.Name(),
			Served:     v.Served(),
			Storage:    v.IsStorage(),
			Deprecated: deprecated[v.Name()],
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
