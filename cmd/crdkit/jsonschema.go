package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/crdkit/crdkit/serving/jsonschema"
)

const jsonschemaHelp = `jsonschema [-c CRD]...
Print definitions as JSON Schema

Print the JSON Schema of a version of a definition, for editors and validators.

The schema accepts every object that kube-apiserver would admit, and more:
docs/json-schema.md lists the constraints that it lacks. With --strict it also
refuses what the server repairs, such as unknown fields.

The version is the preferred one, unless --version names another. CRD is a file with
one definition, or - for standard input.

With --output-dir, CRD may be a directory and have many definitions. The schemas of all
served versions are written to

  DIR/{group}/{kind}_{version}.json

with the kind in lower case, as in github.com/datreeio/CRDs-catalog. The names of the
files are printed. Each file is replaced as a whole. Other files in DIR are kept.

The exit code is 0, or 2 if a definition cannot be read, its schema is not structural,
or a file cannot be written. All other schemas are written.

Examples:
  crdkit jsonschema -c crd.yaml > widget.schema.json
  crdkit jsonschema -c crd.yaml --version v1beta1 --draft 07 --strict
  crdkit jsonschema -c config/crd/bases -o schemas
  kubeconform -schema-location 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json' widget.yaml`

type schemaExporter struct {
	session
	wanted         string // version
	draft          string
	dir            string
	strict         bool
	keepExtensions bool

	opts    []jsonschema.Option
	root    *os.Root              // of dir
	written map[string]schemaFile // by name
}

type schemaFile struct {
	sum  [sha256.Size]byte
	from string // the location of the definition
}

func newJSONSchema() *cobra.Command {
	e := &schemaExporter{}
	f := e.definitionCommand(jsonschemaHelp, 0, e.run).Flags()
	e.addRecursive()
	f.StringVar(&e.wanted, "version", "", "name of the version, such as v1")
	f.StringVar(&e.draft, "draft", "2020-12", "draft of JSON Schema: 2020-12 or 07")
	f.BoolVar(&e.strict, "strict", false, "also refuse unknown fields, nulls, and values that break a format")
	f.BoolVar(&e.keepExtensions, "keep-extensions", false, "keep x-kubernetes-* keywords, which validators ignore or refuse")
	f.StringVarP(&e.dir, "output-dir", "o", "", "directory for the schemas of all definitions")
	return e.cmd
}

func (e *schemaExporter) run(ctx context.Context, _ []string) error {
	switch e.draft {
	case "2020-12":
	case "07", "7":
		e.opts = append(e.opts, jsonschema.Draft07())
	default:
		return fmt.Errorf("invalid --draft %q; it is 2020-12 or 07", e.draft)
	}
	if e.wanted != "" && e.dir != "" {
		return errors.New("--version and --output-dir exclude each other: a directory gets the schemas of all served versions")
	}
	if e.strict {
		e.opts = append(e.opts, jsonschema.Strict())
	}
	if e.keepExtensions {
		e.opts = append(e.opts, jsonschema.KeepExtensions())
	}
	if e.dir != "" {
		return e.exportAll(ctx)
	}
	return e.exportOne(ctx)
}

// exportOne prints the schema of one version. There must be only one definition.
func (e *schemaExporter) exportOne(ctx context.Context) error {
	var found *parsedDefinition
	for o := range namedDefinitions(ctx, e.reader, e.definitions...) {
		d, err := parsed(o)
		if found != nil {
			err = fmt.Errorf("a second definition where one is expected; the first is in %s; --output-dir DIR writes the schemas of all", found.Location())
		}
		if err != nil {
			return locate(o, err)
		}
		found = d
	}
	if found == nil {
		return ctx.Err()
	}
	version := e.wanted
	if version == "" {
		served := servedVersions(found.crd)
		if len(served) == 0 {
			return errors.New("the definition serves no version; name one with --version")
		}
		version = served[0]
	}
	text, err := jsonschema.Export(found.crd, version, e.opts...)
	if err != nil {
		return err
	}
	_, err = e.out.Write(text)
	return err
}

// exportAll writes the schemas of all served versions. It prints errors and goes on.
func (e *schemaExporter) exportAll(ctx context.Context) (err error) {
	if err := os.MkdirAll(e.dir, 0o777); err != nil {
		return err
	}
	if e.root, err = os.OpenRoot(e.dir); err != nil {
		return err
	}
	defer e.root.Close()
	e.written = map[string]schemaFile{}
	return e.eachDefinition(ctx, func(d *parsedDefinition) error {
		for _, version := range servedVersions(d.crd) {
			text, err := jsonschema.Export(d.crd, version, e.opts...)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			if err := e.write(d, version, text); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *schemaExporter) write(d *parsedDefinition, version string, text []byte) error {
	name, err := schemaName(d.crd, version)
	if err != nil {
		return err
	}
	file := schemaFile{sum: sha256.Sum256(text), from: d.Location()}
	if other, ok := e.written[name]; ok {
		if other.sum != file.sum {
			return fmt.Errorf("its schema differs from the schema of %s, which is in %s", other.from, name)
		}
		return nil
	}
	if err := e.root.Mkdir(path.Dir(name), 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := replaceFile(e.root, name, text); err != nil {
		return err
	}
	e.written[name] = file
	_, err = fmt.Fprintln(textWriter{e.out}, filepath.Join(e.dir, filepath.FromSlash(name)))
	return err
}

// schemaName returns the file name for a version: group/kind_version.json. It returns an
// error for names that could leave the directory.
func schemaName(crd *apiextensionsv1.CustomResourceDefinition, version string) (string, error) {
	group, kind := crd.Spec.Group, strings.ToLower(crd.Spec.Names.Kind)
	switch {
	case len(validation.IsDNS1123Subdomain(group)) > 0:
		return "", fmt.Errorf("spec.group %q is not the name of a group", group)
	case len(validation.IsDNS1035Label(kind)) > 0:
		return "", fmt.Errorf("spec.names.kind %q is not the name of a kind", crd.Spec.Names.Kind)
	case len(validation.IsDNS1035Label(version)) > 0:
		return "", fmt.Errorf("%q is not the name of a version", version)
	}
	return path.Join(group, kind+"_"+version+".json"), nil
}

// replaceFile creates or replaces a file atomically. If it fails, the file is unchanged.
func replaceFile(root *os.Root, name string, text []byte) error {
	temporary := name + "." + rand.Text() + ".tmp"
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = cmp.Or(err, f.Close()); err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}
