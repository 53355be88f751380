package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/kube/kubectl"
	"github.com/crdkit/crdkit/internal/text/manifest"
	"github.com/crdkit/crdkit/serving/selection"
	"github.com/crdkit/crdkit/serving/table"
)

const getHelp = `get [-c CRD]... FILE...
Print objects as kubectl get does

Print objects as kubectl get prints objects of a cluster that has the definitions:
pruned, with defaults, and with the columns that the version declares. --selector
and --field-selector select objects as in a list request.

An object is printed at the version of the file. Objects of a list are printed one by
one. Ages are relative to --now. With -o wide the table has the columns of lower
priority too.

FILE may be a directory, with -R including its subdirectories, or - for standard input.

The exit code is 0, or 2 if an object cannot be read or the path of a column does not
parse. All other objects are printed.

Examples:
  crdkit get -c crd.yaml objects.yaml
  crdkit get -c crds/ -R -A -o wide manifests/
  crdkit get -c crd.yaml objects.yaml --field-selector spec.color=blue -o yaml`

type getter struct {
	session
	now           string
	byLabel       string
	byField       string
	labelColumns  []string
	allNamespaces bool
	noHeaders     bool
	showLabels    bool

	clock  time.Time
	labels labels.Selector
}

func newGet() *cobra.Command {
	g := &getter{}
	f := g.objectCommand(getHelp, g.run).Flags()
	g.addOutput("table", "wide", "json", "yaml", "name")
	f.BoolVarP(&g.allNamespaces, "all-namespaces", "A", false, "print the namespaces of objects")
	f.BoolVar(&g.noHeaders, "no-headers", false, "print no column headers")
	f.BoolVar(&g.showLabels, "show-labels", false, "print all labels as the last column")
	f.StringSliceVarP(&g.labelColumns, "label-columns", "L", nil, "labels to print as columns, separated by commas")
	f.StringVarP(&g.byLabel, "selector", "l", "", "print only objects with these labels, such as a=b,c!=d")
	f.StringVar(&g.byField, "field-selector", "", "print only objects with these fields, such as metadata.name=a,spec.b!=c")
	f.StringVar(&g.now, "now", "", "time of the table, for ages, as 2006-01-02T15:04:05Z (default: the clock)")
	return g.cmd
}

func (g *getter) run(ctx context.Context, files []string) (err error) {
	if g.labels, err = labels.Parse(g.byLabel); err != nil {
		return fmt.Errorf("invalid --selector: %w", err)
	}
	if g.clock, err = parseNow(g.now); err != nil {
		return err
	}
	g.load(ctx, files)
	var objs []*unstructured.Unstructured
	read := func(o *manifest.Object) (*unstructured.Unstructured, error) { return g.object(ctx, o) }
	err = eachObject(ctx, &g.session, files, read, func(o *manifest.Object, obj *unstructured.Unstructured, err error) error {
		if err != nil {
			g.fail(o, err)
		} else if obj != nil {
			objs = append(objs, obj)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := g.print(objs); err != nil {
		return err
	}
	g.end()
	return nil
}

// object returns an object as the server serves it, nil if a selector excludes it.
func (g *getter) object(ctx context.Context, o *manifest.Object) (*unstructured.Unstructured, error) {
	version, err := g.kinds.version(ctx, o.GroupVersionKind)
	if err != nil {
		return nil, err
	}
	obj, err := objectOf(o)
	if err != nil {
		return nil, err
	}
	read, _, err := version.Read(ctx, obj)
	if err != nil {
		return nil, err
	}
	if wanted, err := g.selects(read); err != nil || !wanted {
		return nil, err
	}
	return read, nil
}

func (g *getter) selects(obj *unstructured.Unstructured) (bool, error) {
	gvk := obj.GroupVersionKind()
	crd := g.kinds.declared(gvk.GroupKind())
	f, err := selection.New(crdversion.ByName(crd)[gvk.Version].SelectableFields, crd.Spec.Scope)
	if err != nil {
		return false, err
	}
	byField, err := f.Parse(g.byField)
	if err != nil {
		return false, err
	}
	return f.Matches(obj, g.labels, byField)
}

func (g *getter) print(objs []*unstructured.Unstructured) error {
	var text []byte
	var err error
	switch g.output {
	case "json":
		text, err = json.MarshalIndent(single(objs), "", "    ")
		text = escapeJSON(append(text, '\n'))
	case "yaml":
		text, err = yaml.Marshal(single(objs))
	case "name":
		for _, obj := range objs {
			text = fmt.Appendf(text, "%s/%s\n", strings.ToLower(obj.GroupVersionKind().GroupKind().String()), obj.GetName())
		}
	default:
		if len(objs) == 0 {
			fmt.Fprintln(g.errOut, "No resources found")
		}
		text, err = g.tables(objs)
	}
	if err != nil {
		return err
	}
	_, err = g.out.Write(text)
	return err
}

func single(objs []*unstructured.Unstructured) runtime.Object {
	if len(objs) == 1 {
		return objs[0]
	}
	list := listOf(objs)
	list.Object = map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}}
	return list
}

func listOf(objs []*unstructured.Unstructured) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	for _, obj := range objs {
		list.Items = append(list.Items, *obj)
	}
	return list
}

// tables returns a table for consecutive objects of the same version. Tables are separated by
// empty lines, unless --no-headers is set. If there are several tables, names have the kind
// as prefix.
func (g *getter) tables(objs []*unstructured.Unstructured) ([]byte, error) {
	var b bytes.Buffer
	for len(objs) > 0 {
		gvk := objs[0].GroupVersionKind()
		end := slices.IndexFunc(objs, func(obj *unstructured.Unstructured) bool { return obj.GroupVersionKind() != gvk })
		several := b.Len() > 0 || end >= 0
		if end < 0 {
			end = len(objs)
		}
		if b.Len() > 0 && !g.noHeaders {
			b.WriteByte('\n')
		}
		crd := g.kinds.declared(gvk.GroupKind())
		printer, err := table.New(crdversion.ByName(crd)[gvk.Version].AdditionalPrinterColumns)
		if err != nil {
			g.undecided(fmt.Errorf("%s: %w", gvk.GroupKind(), err))
		}
		o := kubectl.TableOptions{
			Wide:      g.output == "wide",
			NoHeaders: g.noHeaders,
			Namespace: g.allNamespaces && crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
			Labels:    g.labelColumns,
			AllLabels: g.showLabels,
		}
		if several {
			o.Kind = strings.ToLower(gvk.GroupKind().String())
		}
		if err := kubectl.PrintTable(&b, printer.List(listOf(objs[:end]), g.clock), o); err != nil {
			return nil, err
		}
		objs = objs[end:]
	}
	return b.Bytes(), nil
}
