package main

import (
	"context"
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
of the definition (-c): by changing apiVersion, or by calling a conversion webhook,
whose response must follow the server's rules. A webhook is called with --webhook only:
--webhook definition calls that of the definition.

Without --served, unknown fields are kept. With --served, objects count as stored
at their version, and the output is what the server serves: with coerced metadata,
with the defaults of the stored version, and without unknown fields.

FILE may be a directory, with -R including its subdirectories, and - is standard
input. A list of the definition's kind is converted as a whole.

Standard output has the converted objects and nothing else (yaml, json), or one
line of JSON for each document (jsonl).

The exit code is 0 if all were converted, 1 if conversion failed for some, and 2
if some could not be read, are of another kind, or the definition or the command
line is wrong.`

const convertExample = `  crdkit convert -c crd.yaml --to v1 object.yaml
  crdkit convert -c crd.yaml --to v1 --webhook https://localhost:9443/convert --ca ca.pem -R objects/
  crdkit convert -c crd.yaml --to v1beta1 --served -o jsonl - < objects.json`

// A converter is the state of crdkit convert: its flags and what they load.
type converter struct {
	definition string
	to         string
	output     string
	webhook    webhookFlag
	recursive  bool
	served     bool

	crd       *apiextensionsv1.CustomResourceDefinition
	compiled  *crdkit.Definition
	target    *crdkit.Version // at which objects are wanted
	converter conversion.Converter
	printed   int
	in        io.Reader
	out       io.Writer
	errOut    io.Writer
}

func newConvert() *cobra.Command {
	c := &converter{}
	cmd := &cobra.Command{
		Use:     "convert -c CRD --to VERSION FILE...",
		Short:   "Convert objects to another version",
		Long:    convertLong,
		Example: convertExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.in, c.out, c.errOut = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return c.run(cmd.Context(), args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&c.definition, "crd", "c", "", "file of the CustomResourceDefinition")
	f.StringVar(&c.to, "to", "", "name of the version to convert to, such as v1")
	addOutput(cmd, &c.output, "yaml", "json", "jsonl")
	f.BoolVar(&c.served, "served", false, "print objects as the server serves them")
	f.BoolVarP(&c.recursive, "recursive", "R", false, "read directories below the directories that are named")
	c.webhook.addTo(cmd)
	for _, name := range []string{"crd", "to"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag is defined above
		}
	}
	return cmd
}

func (c *converter) run(ctx context.Context, files []string) error {
	r := manifest.NewReader(c.in, c.recursive)
	if err := c.prepare(ctx, r); err != nil {
		return err
	}
	worst := exitOK
	r.IsKind = c.isList
	err := each(ctx, r, files, func(o *manifest.Object) error {
		if o.Err == nil && o.IsDefinition() && o.Defines == c.compiled.GroupKind() {
			return nil // it was named with -c, or is among the objects
		}
		code, err := c.document(ctx, o)
		worst = max(worst, code)
		return err
	})
	if passed := r.PassedOver().String(); passed != "" {
		fmt.Fprintf(c.errOut, "passed over: %s\n", passed)
	}
	if err != nil {
		return err
	}
	if worst != exitOK {
		return exitCode(worst)
	}
	return nil
}

func (c *converter) prepare(ctx context.Context, r *manifest.Reader) error {
	var err error
	if c.crd, err = readDefinition(ctx, r, c.definition); err != nil {
		return err
	}
	if err := c.webhook.apply(c.crd, true); err != nil {
		return err
	}
	if c.compiled, err = crdkit.Compile(c.crd); err != nil {
		return err
	}
	var ok bool
	if c.target, ok = c.compiled.Version(c.to); !ok {
		return fmt.Errorf("invalid --to %q; %s has %s", c.to, c.crd.Name, strings.Join(versionNames(c.compiled), ", "))
	}
	c.converter, err = conversion.New(c.crd)
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
	line := conversionLine{File: o.File, Document: o.Number}
	obj, err := c.object(o)
	if err != nil {
		code = exitUndecided
	} else {
		gvk := obj.GroupVersionKind()
		line.GVK, line.Name = lineKind{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind}, obj.GetName()
		if line.Object, err = c.convert(ctx, obj); err != nil {
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

// object decodes a document, which must be an object of the definition's kind
// or a list of them.
func (c *converter) object(o *manifest.Object) (*unstructured.Unstructured, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	obj, err := objectOf(o)
	if err != nil {
		return nil, err
	}
	gvk := obj.GroupVersionKind()
	if gvk.Group != c.crd.Spec.Group || gvk.Kind != c.crd.Spec.Names.Kind && gvk.Kind != c.listKind() {
		return nil, fmt.Errorf("no matches for kind %q in version %q: the definition is of %s", gvk.Kind, obj.GetAPIVersion(), c.compiled.GroupKind())
	}
	return obj, nil
}

// isList reports whether a kind is the list of the definition's kind, which is
// converted as a whole.
func (c *converter) isList(gvk schema.GroupVersionKind) bool {
	return gvk.Group == c.crd.Spec.Group && gvk.Kind == c.listKind()
}

func (c *converter) listKind() string {
	if kind := c.crd.Spec.Names.ListKind; kind != "" {
		return kind
	}
	return c.crd.Spec.Names.Kind + "List"
}

func (c *converter) convert(ctx context.Context, obj *unstructured.Unstructured) (map[string]any, error) {
	if obj.GetKind() == c.listKind() && obj.IsList() {
		return c.convertList(ctx, obj)
	}
	if c.served {
		out, _, err := c.target.Read(ctx, obj)
		if err != nil {
			return nil, err
		}
		return out.Object, nil
	}
	out, err := c.converter.Convert(ctx, []*unstructured.Unstructured{obj}, c.to)
	if err != nil {
		return nil, err
	}
	return out[0].Object, nil
}

func (c *converter) convertList(ctx context.Context, obj *unstructured.Unstructured) (map[string]any, error) {
	list, err := obj.ToList()
	if err != nil {
		return nil, err
	}
	if !c.served {
		out, err := conversion.ConvertList(ctx, c.converter, list, c.to)
		if err != nil {
			return nil, err
		}
		return out.UnstructuredContent(), nil
	}
	for i := range list.Items {
		out, _, err := c.target.Read(ctx, &list.Items[i])
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		list.Items[i] = *out
	}
	list.SetAPIVersion(c.crd.Spec.Group + "/" + c.to)
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
