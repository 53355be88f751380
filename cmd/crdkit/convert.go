package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/manifest"
)

const convertLong = `Convert each object in the files to a version, as the server converts objects
of the definitions: by changing apiVersion, or by calling a conversion webhook,
whose response must follow the server's rules. A webhook is called with --webhook only:
--webhook definition calls that of the definition.

The definitions are those of -c, a file or a directory, and those among the objects,
unless --no-input-definitions is given.

Without --served, unknown fields are kept. With --served, objects count as stored
at their version, and the output is what the server serves: with coerced metadata,
with the defaults of the stored version, and without unknown fields.

FILE may be a directory, with -R including its subdirectories, and - is standard
input. A list of the kind of a definition is converted as a whole.

Standard output has the converted objects and nothing else (yaml, json), or one
line of JSON for each document (jsonl).

The exit code is 0 if all were converted, 1 if conversion failed for some, and 2
if some could not be read, are of a kind without a definition, or the definition or the
command line is wrong.`

const convertExample = `  crdkit convert -c crd.yaml --to v1 object.yaml
  crdkit convert -c crd.yaml --to v1 --webhook https://localhost:9443/convert --ca ca.pem -R objects/
  crdkit convert -c crd.yaml --to v1beta1 --served -o jsonl - < objects.json
  helm template --include-crds chart/ | crdkit convert --to v1 --unknown-kinds skip -`

// A converter is the state of crdkit convert: its flags and what they load.
type converter struct {
	inputs
	to     string
	output string
	served bool

	kindsTo map[*knownDefinition]*kindConverter
	worst   int
	printed int
	in      io.Reader
	out     io.Writer
	errOut  io.Writer
}

// A kindConverter converts the objects of one definition.
type kindConverter struct {
	crd       *apiextensionsv1.CustomResourceDefinition
	target    *crdkit.Version // at which objects are wanted
	converter conversion.Converter
	err       error // that prevents all conversions
}

func newConvert() *cobra.Command {
	c := &converter{kindsTo: map[*knownDefinition]*kindConverter{}}
	cmd := &cobra.Command{
		Use:     "convert [-c CRD]... --to VERSION FILE...",
		Short:   "Convert objects to another version",
		Long:    convertLong,
		Example: convertExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.in, c.out, c.errOut = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if _, err := c.useConfig(cmd); err != nil {
				return err
			}
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.to, "to", "", "name of the version to convert to, such as v1")
	addOutput(cmd, &c.output, "yaml", "json", "jsonl")
	f.BoolVar(&c.served, "served", false, "print objects as the server serves them")
	c.inputs.addTo(cmd)
	c.webhook.addTo(cmd)
	if err := cmd.MarkFlagRequired("to"); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

func (c *converter) run(ctx context.Context, files []string) error {
	if err := c.prepare(ctx, files); err != nil {
		return err
	}
	err := each(ctx, c.reader, files, func(o *manifest.Object) error {
		if c.skips(o) {
			return nil
		}
		code, err := c.document(ctx, o)
		c.worst = max(c.worst, code)
		return err
	})
	c.warnUnknown(c.reportWarning)
	c.reportPassedOver(c.errOut)
	if err != nil {
		return err
	}
	if c.worst != exitOK {
		return exitCode(c.worst)
	}
	return nil
}

func (c *converter) reportError(err error) {
	c.worst = exitUndecided
	fmt.Fprintf(c.errOut, "error: %v\n", err)
}

func (c *converter) reportWarning(err error) { fmt.Fprintf(c.errOut, "Warning: %v\n", err) }

// prepare loads the definitions. A definition that cannot be used ends the command if it is
// the only one.
func (c *converter) prepare(ctx context.Context, files []string) error {
	if err := c.inputs.checkFlags(); err != nil {
		return err
	}
	c.load(ctx, c.in, files, c.reportError, c.reportWarning)
	c.kinds.alwaysWebhook = true
	c.reader.IsKind = func(gvk schema.GroupVersionKind) bool { return c.kinds.has(gvk) || c.kinds.ofList(ctx, gvk) != nil }
	switch {
	case len(c.kinds.byKind) == 0 && c.worst != exitOK:
		return exitCode(c.worst)
	case len(c.kinds.byKind) == 0:
		return errors.New("no definition is given; name one with -c")
	case len(c.kinds.byKind) > 1:
		return nil
	}
	for _, k := range c.kinds.byKind {
		if to := c.kindTo(ctx, k); to.err != nil {
			return to.err
		}
	}
	return nil
}

// kindTo returns what converts the objects of a definition.
func (c *converter) kindTo(ctx context.Context, k *knownDefinition) *kindConverter {
	if to := c.kindsTo[k]; to != nil {
		return to
	}
	to := &kindConverter{}
	to.err = to.load(ctx, c, k)
	c.kindsTo[k] = to
	return to
}

func (to *kindConverter) load(ctx context.Context, c *converter, k *knownDefinition) error {
	if err := c.kinds.ensure(ctx, k); err != nil {
		return err
	}
	to.crd = k.crd
	compiled, _ := c.kinds.catalog.Definition(k.crd.Name)
	var ok bool
	if to.target, ok = compiled.Version(c.to); !ok {
		return fmt.Errorf("invalid --to %q; %s has %s", c.to, k.crd.Name, strings.Join(versionNames(compiled), ", "))
	}
	if _, err := c.kinds.catalog.Version(to.target.GroupVersionKind()); err != nil {
		return &definitionError{k.object.Location(), k.crd, err}
	}
	var err error
	to.converter, err = conversion.New(k.crd)
	return c.webhook.hint(err)
}

func versionNames(d *crdkit.Definition) []string {
	var names []string
	for _, v := range d.Versions() {
		names = append(names, v.Name())
	}
	return names
}

// A conversionLine is the output of -o jsonl for a document.
type conversionLine struct {
	File      string         `json:"file"`
	Document  int            `json:"document"`
	GVK       lineKind       `json:"gvk"`
	Name      string         `json:"name"`
	Converted bool           `json:"converted"`
	Object    map[string]any `json:"object"`
	Error     string         `json:"error,omitempty"`
}

// document converts one document and prints the result. It returns the error of
// printing.
func (c *converter) document(ctx context.Context, o *manifest.Object) (code int, _ error) {
	line := conversionLine{File: o.File, Document: o.Number, GVK: lineKind(o.GroupVersionKind), Name: o.Name}
	obj, to, err := c.object(ctx, o)
	if _, unknown := errors.AsType[errUnknownKind](err); unknown && c.unknownKinds != unknownError {
		c.skipped.add(o)
		return exitOK, nil
	}
	if err != nil {
		code = exitUndecided
	} else {
		gvk := obj.GroupVersionKind()
		line.GVK, line.Name = lineKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind}, obj.GetName()
		if line.Object, err = c.convert(ctx, obj, to); err != nil {
			code, err = exitRefused, c.webhook.hint(err)
		}
	}
	if err != nil {
		line.Error = err.Error()
	}
	if ctx.Err() != nil {
		return code, ctx.Err()
	}
	line.Converted = err == nil
	if c.output == "jsonl" {
		return code, encodeJSON(c.out, line, "")
	}
	if err != nil {
		fmt.Fprintf(c.errOut, "error: %s: %v\n", o.Location(), err)
		return code, nil
	}
	return code, c.print(line.Object)
}

// object decodes a document, which must be an object of a known kind or a list of them.
func (c *converter) object(ctx context.Context, o *manifest.Object) (*unstructured.Unstructured, *kindConverter, error) {
	if o.Err != nil {
		return nil, nil, o.Err
	}
	k := c.kinds.byKind[o.GroupKind()]
	if k == nil {
		k = c.kinds.ofList(ctx, o.GroupVersionKind)
	}
	if k == nil {
		return nil, nil, errUnknownKind(o.GroupVersionKind)
	}
	to := c.kindTo(ctx, k)
	if to.err != nil {
		return nil, nil, to.err
	}
	obj, err := objectOf(o)
	return obj, to, err
}

func (c *converter) convert(ctx context.Context, obj *unstructured.Unstructured, to *kindConverter) (map[string]any, error) {
	if obj.GetKind() == listKindOf(to.crd) && obj.IsList() {
		return c.convertList(ctx, obj, to)
	}
	if c.served {
		out, _, err := to.target.Read(ctx, obj)
		if err != nil {
			return nil, err
		}
		return out.Object, nil
	}
	out, err := to.converter.Convert(ctx, []*unstructured.Unstructured{obj}, c.to)
	if err != nil {
		return nil, err
	}
	return out[0].Object, nil
}

func (c *converter) convertList(ctx context.Context, obj *unstructured.Unstructured, to *kindConverter) (map[string]any, error) {
	list, err := obj.ToList()
	if err != nil {
		return nil, err
	}
	if !c.served {
		out, err := conversion.ConvertList(ctx, to.converter, list, c.to)
		if err != nil {
			return nil, err
		}
		return out.UnstructuredContent(), nil
	}
	for i := range list.Items {
		out, _, err := to.target.Read(ctx, &list.Items[i])
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		list.Items[i] = *out
	}
	list.SetAPIVersion(to.crd.Spec.Group + "/" + c.to)
	return list.UnstructuredContent(), nil
}

func (c *converter) print(object map[string]any) error {
	c.printed++
	if c.output == "json" {
		return encodeJSON(c.out, object, "    ")
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return err
	}
	if c.printed > 1 {
		text = append([]byte("---\n"), text...)
	}
	_, err = c.out.Write(text)
	return err
}
