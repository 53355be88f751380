package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/kubectl"
	"github.com/crdkit/crdkit/serving/table"
)

func (g *getter) print(objs []*unstructured.Unstructured) error {
	if len(objs) == 0 && (g.output == "table" || g.output == "wide") {
		fmt.Fprintln(g.errOut, "No resources found")
		return nil
	}
	switch g.output {
	case "json":
		return g.printJSON(single(objs))
	case "yaml":
		return g.printYAML(single(objs))
	case "name":
		return g.printNames(objs)
	default:
		return g.printTables(groups(objs))
	}
}

// single returns a single object as it is, and any other number of objects as a
// list.
func single(objs []*unstructured.Unstructured) runtime.Object {
	if len(objs) == 1 {
		return objs[0]
	}
	list := &unstructured.UnstructuredList{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "List",
		"metadata":   map[string]any{"resourceVersion": ""},
	}}
	for _, obj := range objs {
		list.Items = append(list.Items, *obj)
	}
	return list
}

func (g *getter) printJSON(obj runtime.Object) error {
	data, err := json.MarshalIndent(obj, "", "    ")
	if err != nil {
		return err
	}
	_, err = g.out.Write(escapeJSON(append(data, '\n')))
	return err
}

func (g *getter) printYAML(obj runtime.Object) error {
	data, err := yaml.Marshal(obj)
	if err != nil {
		return err
	}
	_, err = g.out.Write(data)
	return err
}

func (g *getter) printNames(objs []*unstructured.Unstructured) error {
	var b strings.Builder
	for _, obj := range objs {
		gvk := obj.GroupVersionKind()
		fmt.Fprintf(&b, "%s/%s\n", strings.ToLower(gvk.GroupKind().String()), obj.GetName())
	}
	_, err := io.WriteString(g.out, b.String())
	return err
}

// printTables prints a table for each group, with an empty line between two
// unless headers are off. Names have a prefix with the kind if there are
// several groups.
func (g *getter) printTables(list []group) error {
	for i, group := range list {
		text, err := g.table(group, len(list) > 1)
		if err != nil {
			return err
		}
		if i > 0 && !g.noHeaders {
			text = "\n" + text
		}
		if _, err := io.WriteString(g.out, text); err != nil {
			return err
		}
	}
	return nil
}

func (g *getter) table(group group, withKind bool) (string, error) {
	p, err := table.New(g.kinds.declaredVersion(group.gvk).AdditionalPrinterColumns)
	if err != nil {
		g.undecided(fmt.Errorf("%s: %w", group.gvk.GroupKind(), err))
	}
	list := &unstructured.UnstructuredList{}
	for _, obj := range group.objs {
		list.Items = append(list.Items, *obj)
	}
	o := kubectl.TableOptions{
		Wide:      g.output == "wide",
		NoHeaders: g.noHeaders,
		Namespace: g.allNamespaces && g.kinds.declared(group.gvk.GroupKind()).Spec.Scope == apiextensionsv1.NamespaceScoped,
		Labels:    g.labelColumns,
		AllLabels: g.showLabels,
	}
	if withKind {
		o.Kind = strings.ToLower(group.gvk.GroupKind().String())
	}
	var b bytes.Buffer
	err = kubectl.PrintTable(&b, p.List(list, g.clock), o)
	return b.String(), err
}
