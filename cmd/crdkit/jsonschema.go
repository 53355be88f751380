package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/serving/jsonschema"
)

const jsonschemaLong = `Print the JSON Schema of a version of a definition, for editors and validators.

The schema accepts every object that kube-apiserver would admit, and more:
docs/JSON-SCHEMA.md lists the constraints that it lacks. With --strict it also
refuses what the server repairs, such as unknown fields.

The version is the preferred one unless --version names another. CRD is a
file with one definition, or - for standard input.

With --output-dir, CRD may be a directory and have many definitions. The schemas of
all their served versions are written to

  DIR/{group}/{kind}_{version}.json

with the kind in lower case, as in github.com/datreeio/CRDs-catalog. Their names are
printed. A reader of such a file sees the old text or the new one, never a part.
Other files in DIR are kept.

The exit code is 0, or 2 if a definition cannot be read, its schema is not structural,
or a file cannot be written. The other schemas are written nevertheless.`

const jsonschemaExample = `  crdkit jsonschema -c crd.yaml > widget.schema.json
  crdkit jsonschema -c crd.yaml --version v1beta1 --draft 07 --strict
  crdkit jsonschema -c config/crd/bases -o schemas
  kubeconform -schema-location 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json' widget.yaml`

// A schemaExporter holds the flags of crdkit jsonschema.
type schemaExporter struct {
	definitions    []string
	version        string
	draft          string
	dir            string
	strict         bool
	keepExtensions bool
	recursive      bool

	opts []jsonschema.Option
}

func newJSONSchema() *cobra.Command {
	e := &schemaExporter{}
	cmd := &cobra.Command{
		Use:     "jsonschema [-c CRD]...",
		Short:   "Print definitions as JSON Schema",
		Long:    jsonschemaLong,
		Example: jsonschemaExample,
		Args:    oneDefinitionFlag(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmp.Or(useDefinitions(cmd, &e.definitions), e.checkFlags()); err != nil {
				return err
			}
			r := manifest.NewReader(cmd.InOrStdin(), e.recursive)
			if e.dir != "" {
				return e.exportAll(cmd, r)
			}
			text, err := e.exportOne(cmd.Context(), r)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	f := cmd.Flags()
	addDefinitionFlag(cmd, &e.definitions)
	f.StringVar(&e.version, "version", "", "name of the version, such as v1")
	f.StringVar(&e.draft, "draft", "2020-12", "draft of JSON Schema: 2020-12 or 07")
	f.BoolVar(&e.strict, "strict", false, "refuse unknown fields, nulls and formats too")
	f.BoolVar(&e.keepExtensions, "keep-extensions", false, "keep x-kubernetes-* keywords, which validators ignore or refuse")
	f.StringVarP(&e.dir, "output-dir", "o", "", "directory for the schemas of all definitions")
	f.BoolVarP(&e.recursive, "recursive", "R", false, "read directories below the directories that are named")
	return cmd
}

func (e *schemaExporter) checkFlags() error {
	switch e.draft {
	case "2020-12":
	case "07", "7":
		e.opts = append(e.opts, jsonschema.Draft07())
	default:
		return fmt.Errorf("invalid --draft %q; it is 2020-12 or 07", e.draft)
	}
	if e.version != "" && e.dir != "" {
		return errors.New("--version and --output-dir exclude each other: a directory gets the schemas of all served versions")
	}
	if e.strict {
		e.opts = append(e.opts, jsonschema.Strict())
	}
	if e.keepExtensions {
		e.opts = append(e.opts, jsonschema.KeepExtensions())
	}
	return nil
}

// exportOne returns the schema of a version of the only definition.
func (e *schemaExporter) exportOne(ctx context.Context, r *manifest.Reader) ([]byte, error) {
	crd, err := readDefinition(ctx, r, e.definitions...)
	if errors.Is(err, errSecondDefinition) {
		return nil, fmt.Errorf("%w; --output-dir DIR writes the schemas of all", err)
	}
	if err != nil {
		return nil, err
	}
	version := e.version
	if version == "" {
		served := servedVersions(crd)
		if len(served) == 0 {
			return nil, errors.New("the definition serves no version; name one with --version")
		}
		version = served[0]
	}
	return jsonschema.Export(crd, version, e.opts...)
}
