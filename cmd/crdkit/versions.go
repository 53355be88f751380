package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/crdversion"
)

const versionsHelp = `versions [-c CRD]...
List the versions of definitions in the order of their priority

List the versions of definitions in the order of their priority.

The preferred version is the first served one. Objects are stored at the storage
version. The server warns about requests at a deprecated version.

CRD is a file, a directory, or - for standard input. With several definitions, each
table begins with the name of its definition. With -o json the output is an array with
an object for each version:

  {"definition","name","served","storage","deprecated","preferred","warning"}

The exit code is 0, or 2 if a definition cannot be read or served. The versions of all
others are listed.

Examples:
  crdkit versions -c crd.yaml
  crdkit versions -c crds/ -R -o json`

func newVersions() *cobra.Command {
	s := &session{}
	cmd := s.definitionCommand(versionsHelp, 0, func(ctx context.Context, _ []string) error { return printVersions(ctx, s) })
	s.addRecursive()
	s.addOutput("table", "json")
	return cmd
}

func printVersions(ctx context.Context, s *session) error {
	all := []listedVersion{}
	var names, tables []string
	err := s.eachDefinition(ctx, func(d *parsedDefinition) error {
		versions, err := listVersions(d.crd)
		if err == nil {
			all = append(all, versions...)
			names, tables = append(names, d.crd.Name+"\n"), append(tables, versionTable(versions))
		}
		return err
	})
	if err != nil {
		return err
	}
	if s.output == "json" {
		return encodeJSON(s.out, all, "    ")
	}
	if len(tables) > 1 {
		for i, name := range names {
			tables[i] = name + tables[i]
		}
	}
	_, err = io.WriteString(textWriter{s.out}, strings.Join(tables, "\n"))
	return err
}

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
	return mapped(d.Versions(), func(v *crdkit.Version) listedVersion {
		return listedVersion{
			Definition: crd.Name,
			Name:       v.Name(),
			Served:     v.Served(),
			Storage:    v.IsStorage(),
			Deprecated: declared[v.Name()].Deprecated,
			Preferred:  v == preferred,
			Warning:    v.Warning(),
		}
	}), nil
}

func versionTable(versions []listedVersion) string {
	var table, trimmed strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tSERVED\tSTORAGE\tDEPRECATED\tPREFERRED\tWARNING")
	for _, v := range versions {
		fmt.Fprintf(w, "%s\t%t\t%t\t%t\t%t\t%s\n", v.Name, v.Served, v.Storage, v.Deprecated, v.Preferred, v.Warning)
	}
	w.Flush()
	for line := range strings.Lines(table.String()) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return trimmed.String()
}
