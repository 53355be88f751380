package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/text/manifest"
)

const convertHelp = `convert [-c CRD]... --to VERSION FILE...
Convert objects to another version

Convert each object in the files to a version, as the server does: by changing
apiVersion, or by calling the conversion webhook. The answer of the webhook must follow
the server's rules.

A webhook is called only with --webhook. --webhook definition calls the URL in the
definition. Objects that are at the version already need no webhook.

The definitions are in -c, a file or a directory, and among the objects, unless
--no-input-definitions is given.

Without --served, unknown fields are kept. With --served, objects count as stored at
their version. The output is what the server serves: with coerced metadata, with the
defaults of the stored version, and without unknown fields.

FILE may be a directory, with -R including its subdirectories, or - for standard input.
A list of the listKind of a definition, such as a WidgetList, is converted as a whole.

Standard output has the converted objects only (yaml, json), or one line of JSON for
each document (jsonl).

The exit code is 0 if all are converted, 1 if conversion fails for some, and 2 if some
cannot be read, have no definition, or need a webhook that is not called, or if the
definition or the command line is wrong.

Examples:
  crdkit convert -c crd.yaml --to v1 object.yaml
  crdkit convert -c crd.yaml --to v1 --webhook https://localhost:9443/convert --ca ca.pem -R objects/
  crdkit convert -c crd.yaml --to v1beta1 --served -o jsonl - < objects.json
  helm template --include-crds chart/ | crdkit convert --to v1 --unknown-kinds skip -`

type converter struct {
	session
	to     string
	served bool

	byKind  map[*knownDefinition]func() (*kindConverter, error)
	objects objectWriter
}

func newConvert() *cobra.Command {
	c := &converter{byKind: map[*knownDefinition]func() (*kindConverter, error){}}
	f := c.objectCommand(convertHelp, c.run).Flags()
	f.StringVar(&c.to, "to", "", "name of the version to convert to, such as v1")
	c.addOutput("yaml", "json", "jsonl")
	f.BoolVar(&c.served, "served", false, "print objects as the server serves them")
	c.webhook.addTo(c.cmd)
	c.require("to")
	return c.cmd
}

func (c *converter) run(ctx context.Context, files []string) error {
	c.objects.out = c.out
	if err := c.prepare(ctx, files); err != nil {
		return err
	}
	work := func(o *manifest.Object) (map[string]any, error) { return c.object(ctx, o) }
	err := eachObject(ctx, &c.session, files, work, c.report)
	if err == nil {
		c.end()
	}
	return err
}

// prepare loads the definitions. If the only definition is invalid, it returns an error.
func (c *converter) prepare(ctx context.Context, files []string) error {
	c.load(ctx, files)
	c.kinds.alwaysWebhook = true
	c.reader.IsKind = func(gvk schema.GroupVersionKind) bool { return c.kinds.has(gvk) || c.kinds.ofList(ctx, gvk) != nil }
	if len(c.kinds.byKind) == 0 {
		return cmp.Or(c.exit(), errors.New("no definition is given; name one with -c"))
	}
	for _, k := range c.kinds.byKind {
		c.byKind[k] = sync.OnceValues(func() (*kindConverter, error) { return c.newKind(ctx, k) })
		if len(c.kinds.byKind) == 1 {
			if _, err := c.byKind[k](); err != nil {
				return err
			}
		}
	}
	return nil
}

// A conversionLine is the output of -o jsonl for a document.
type conversionLine struct {
	lineObject
	Converted bool           `json:"converted"`
	Object    map[string]any `json:"object"`
	Error     string         `json:"error,omitempty"`
}

// A conversionError is the error of converting an object that could be read.
type conversionError struct{ error }

func (e conversionError) Unwrap() error { return e.error }

func (c *converter) report(o *manifest.Object, object map[string]any, err error) error {
	_, failed := errors.AsType[conversionError](err)
	switch {
	case failed:
		c.worst = max(c.worst, exitRefused)
	case err != nil:
		c.worst = exitUndecided
	}
	switch {
	case c.output == "jsonl":
		line := conversionLine{lineObject: objectLine(o), Converted: err == nil, Object: object}
		if err != nil {
			line.Error = inFile(err.Error(), o.Line)
		}
		return encodeJSON(c.out, line, "")
	case err == nil && c.output == "json":
		return encodeJSON(c.out, object, "    ")
	case err == nil:
		return c.objects.yaml(object)
	case isOfKind(err):
		c.failed.add(o, err)
	default:
		fmt.Fprintf(c.errOut, "error: %v\n", locate(o, err))
	}
	return nil
}

// object converts an object of a known kind, or a list of these objects.
func (c *converter) object(ctx context.Context, o *manifest.Object) (map[string]any, error) {
	k := c.kinds.byKind[o.GroupKind()]
	if k == nil {
		k = c.kinds.ofList(ctx, o.GroupVersionKind)
	}
	if k == nil {
		return nil, noMatch{gvk: o.GroupVersionKind}
	}
	to, err := c.byKind[k]()
	if err != nil {
		return nil, err
	}
	obj, err := objectOf(o)
	if err != nil {
		return nil, err
	}
	converted, err := c.convert(ctx, obj, to)
	if err = c.webhook.hint(err); err != nil && !errors.Is(err, errNeedsWebhook) {
		err = conversionError{err}
	}
	return converted, err
}

type kindConverter struct {
	crd       *apiextensionsv1.CustomResourceDefinition
	target    *crdkit.Version
	converter conversion.Converter
}

func (c *converter) newKind(ctx context.Context, k *knownDefinition) (*kindConverter, error) {
	if err := c.kinds.ensure(ctx, k); err != nil {
		return nil, err
	}
	compiled, _ := c.kinds.catalog.Definition(k.crd.Name)
	target, ok := compiled.Version(c.to)
	switch {
	case !ok:
		names := mapped(compiled.Versions(), (*crdkit.Version).Name)
		return nil, fmt.Errorf("invalid --to %q; %s has %s", c.to, k.crd.Name, strings.Join(names, ", "))
	case target.Served():
		if _, err := c.kinds.catalog.Version(target.GroupVersionKind()); err != nil {
			return nil, &definitionError{k.object.Location(), k.crd, err}
		}
	case c.served:
		return nil, fmt.Errorf("invalid --to %q with --served; %s does not serve this version", c.to, k.crd.Name)
	}
	to, err := conversion.New(k.crd)
	if c.webhook.needs(err) {
		to, err = uncalledWebhook{conversion.None(k.crd)}, nil
	}
	return &kindConverter{k.crd, target, to}, err
}

// An uncalledWebhook replaces a webhook if --webhook is not set. It returns an error for
// objects that are not at the wanted version.
type uncalledWebhook struct{ none conversion.Converter }

func (u uncalledWebhook) Convert(ctx context.Context, objs []*unstructured.Unstructured, to string) ([]*unstructured.Unstructured, error) {
	converted, err := u.none.Convert(ctx, objs, to)
	if err != nil {
		return nil, err
	}
	for _, obj := range objs {
		if obj.GroupVersionKind().Version != to {
			return nil, errNeedsWebhook
		}
	}
	return converted, nil
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
