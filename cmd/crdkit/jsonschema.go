package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/serving/jsonschema"
)

const jsonschemaLong = `Print the JSON Schema of a version of a definition, for editors and validators.

The schema accepts every object that kube-apiserver would admit, and more:
docs/JSON-SCHEMA.md lists the constraints that it lacks. With --strict it also
refuses what the server repairs, such as unknown fields.

The version is the preferred one unless --version names another. CRD is a
file with one definition, or - for standard input. The exit code is 0, or 2 if
the definition cannot be read or its schema is not structural.`

const jsonschemaExample = `  crdkit jsonschema -c crd.yaml > widget.schema.json
  crdkit jsonschema -c crd.yaml --version v1beta1 --draft 07 --strict`

func newJSONSchema() *cobra.Command {
	var definition, version, draft string
	var strict bool
	cmd := &cobra.Command{
		Use:     "jsonschema -c CRD",
		Short:   "Print a definition as JSON Schema",
		Long:    jsonschemaLong,
		Example: jsonschemaExample,
		Args:    oneDefinitionFlag(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var opts []jsonschema.Option
			switch draft {
			case "2020-12":
			case "07", "7":
				opts = append(opts, jsonschema.Draft07())
			default:
				return fmt.Errorf("invalid --draft %q; it is 2020-12 or 07", draft)
			}
			if strict {
				opts = append(opts, jsonschema.Strict())
			}
			return exportSchema(cmd.Context(), cmd.OutOrStdout(), cmd.InOrStdin(), definition, version, opts)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&definition, "crd", "c", "", "file of the CustomResourceDefinition")
	f.StringVar(&version, "version", "", "name of the version, such as v1")
	f.StringVar(&draft, "draft", "2020-12", "draft of JSON Schema: 2020-12 or 07")
	f.BoolVar(&strict, "strict", false, "refuse unknown fields, nulls and formats too")
	if err := cmd.MarkFlagRequired("crd"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func exportSchema(ctx context.Context, out io.Writer, in io.Reader, definition, version string, opts []jsonschema.Option) error {
	crd, err := readDefinition(ctx, manifest.NewReader(in, false), definition)
	if err != nil {
		return err
	}
	if version == "" {
		d, err := crdkit.Compile(crd)
		if err != nil {
			return err
		}
		preferred, ok := d.Preferred()
		if !ok {
			return errors.New("the definition serves no version; name one with --version")
		}
		version = preferred.Name()
	}
	data, err := jsonschema.Export(crd, version, opts...)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}
