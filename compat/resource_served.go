package compat

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// checkSubresources compares the subresources of version i of the old definition and version
// j of the new one. pointer leads to the latter, as in the functions below.
func (r *resourceCheck) checkSubresources(i, j int, pointer string) {
	old, v := &r.old.Spec.Versions[i], &r.crd.Spec.Versions[j]
	before, after := valueOf(old.Subresources), valueOf(v.Subresources)
	pointer = pointerIf(pointer, "subresources", v.Subresources != nil)
	switch was, is := before.Status != nil, after.Status != nil; {
	case is && !was:
		f := r.add(StatusSubresource, Error, v.Name, pointer+"/status", "the status of a request is stored", "the status of a request is dropped",
			"status becomes a subresource: requests to the object do not write its status any more, only those to /status")
		f.Field, f.Witness = "status", r.statusWitness(i, false, true)
	case was && !is:
		f := r.add(StatusSubresource, Error, v.Name, pointer, "the status of a request is ignored", "the status of a request is stored",
			"status is not a subresource any more: requests to /status fail, and requests to the object write its status")
		f.Field, f.Witness = "status", r.statusWitness(i, true, false)
	}
	switch was, is := before.Scale, after.Scale; {
	case was == nil && is == nil:
	case was == nil:
		r.add(ScaleSubresource, Note, v.Name, pointer+"/scale", "", "", "the scale subresource is new")
	case is == nil:
		r.add(ScaleSubresource, Error, v.Name, pointer, "", "", "the scale subresource is removed: kubectl scale and autoscalers fail")
	default:
		r.checkScalePath(v.Name, pointer+"/scale", "specReplicasPath", was.SpecReplicasPath, is.SpecReplicasPath)
		r.checkScalePath(v.Name, pointer+"/scale", "statusReplicasPath", was.StatusReplicasPath, is.StatusReplicasPath)
		r.checkScalePath(v.Name, pointer+"/scale", "labelSelectorPath", valueOf(was.LabelSelectorPath), valueOf(is.LabelSelectorPath))
	}
}

func (r *resourceCheck) checkScalePath(version, pointer, field, before, after string) {
	switch {
	case before == after:
	case before == "":
		r.add(ScaleSubresource, Note, version, pointer+"/"+field, before, after, "%s of the scale subresource is new", field)
	case after == "":
		r.add(ScaleSubresource, Error, version, pointer, before, after, "%s of the scale subresource is removed: autoscalers find no pods", field)
	default:
		r.add(ScaleSubresource, Warning, version, pointer+"/"+field, before, after,
			"%s of the scale subresource changes from %s to %s: autoscalers read and write another field", field, before, after)
	}
}

// checkSelectable compares the fields that clients can select.
func (r *resourceCheck) checkSelectable(old, v *apiextensionsv1.CustomResourceDefinitionVersion, pointer string) {
	paths := func(v *apiextensionsv1.CustomResourceDefinitionVersion) []string {
		var all []string
		for _, f := range v.SelectableFields {
			all = append(all, strings.TrimPrefix(f.JSONPath, "."))
		}
		return all
	}
	pointer = pointerIf(pointer, "selectableFields", len(v.SelectableFields) > 0)
	before, after := paths(old), paths(v)
	for _, path := range without(before, after) {
		r.add(SelectableField, Error, v.Name, pointer, path, "field label not supported: "+path,
			"the field %s cannot be selected any more: lists and watches with it in their field selector fail", path).Field = path
	}
	for _, path := range without(after, before) {
		r.add(SelectableField, Note, v.Name, fmt.Sprintf("%s/%d", pointer, slices.Index(after, path)), "", path,
			"the field %s can be selected now", path).Field = path
	}
}

// checkColumns compares the columns that kubectl get prints. No request depends on them. The
// n-th columns of one name are compared with each other.
func (r *resourceCheck) checkColumns(old, v *apiextensionsv1.CustomResourceDefinitionVersion, pointer string) {
	at := func(n int) string { return fmt.Sprintf("%s/additionalPrinterColumns/%d", pointer, n) }
	columns := map[string][]int{} // of the new version, that no column of the old one was compared with
	for n, c := range v.AdditionalPrinterColumns {
		columns[c.Name] = append(columns[c.Name], n)
	}
	for _, c := range old.AdditionalPrinterColumns {
		before, left := describeColumn(c), columns[c.Name]
		if len(left) == 0 {
			r.add(PrinterColumn, Note, v.Name, pointer, before, "", "kubectl get does not print the column %s any more", c.Name)
			continue
		}
		columns[c.Name] = left[1:]
		if after := describeColumn(v.AdditionalPrinterColumns[left[0]]); before != after {
			r.add(PrinterColumn, Note, v.Name, at(left[0]), before, after, "the column %s of kubectl get changes", c.Name)
		}
	}
	for n, c := range v.AdditionalPrinterColumns {
		if slices.Contains(columns[c.Name], n) {
			r.add(PrinterColumn, Note, v.Name, at(n), "", describeColumn(c), "kubectl get prints the column %s", c.Name)
		}
	}
}

// describeColumn returns what decides the cells of a column.
func describeColumn(c apiextensionsv1.CustomResourceColumnDefinition) string {
	text := c.Type + " " + c.JSONPath
	if c.Format != "" {
		text += " (" + c.Format + ")"
	}
	if c.Priority > 0 {
		text += fmt.Sprintf(", priority %d", c.Priority)
	}
	return text
}
