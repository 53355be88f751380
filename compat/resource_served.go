package compat

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/internal/crdversion"
)

// checkSubresources compares the subresources of a version.
func (r *resourceCheck) checkSubresources(i, j int) {
	old, v := &r.old.Spec.Versions[i], &r.crd.Spec.Versions[j]
	var before, after apiextensionsv1.CustomResourceSubresources
	if old.Subresources != nil {
		before = *old.Subresources
	}
	if v.Subresources != nil {
		after = *v.Subresources
	}
	pointer := strings.TrimSuffix(versionPointer(j, ""), "/")
	if v.Subresources != nil {
		pointer = versionPointer(j, "subresources")
	}
	r.checkStatus(i, before.Status != nil, after.Status != nil, pointer)
	r.checkScale(v.Name, before.Scale, after.Scale, pointer)
}

func (r *resourceCheck) checkStatus(i int, before, after bool, pointer string) {
	f := Finding{Code: StatusSubresource, Verdict: Incompatible, Severity: Error, Version: r.old.Spec.Versions[i].Name, Field: "status", Pointer: pointer}
	switch {
	case before == after:
		return
	case after:
		f.Pointer += "/status"
		f.Old, f.New = "the status of a request is stored", "the status of a request is dropped"
		f.Text = "status becomes a subresource: requests to the object do not write its status any more, only those to /status"
		f.Witness = r.statusWitness(i, false, true)
	default:
		f.Old, f.New = "the status of a request is ignored", "the status of a request is stored"
		f.Text = "status is not a subresource any more: requests to /status fail, and requests to the object write its status"
		f.Witness = r.statusWitness(i, true, false)
	}
	r.add(f)
}

func (r *resourceCheck) checkScale(version string, before, after *apiextensionsv1.CustomResourceSubresourceScale, pointer string) {
	f := Finding{Code: ScaleSubresource, Verdict: Incompatible, Severity: Error, Version: version, Pointer: pointer}
	switch {
	case before == nil && after == nil:
		return
	case before == nil:
		f.Verdict, f.Severity, f.Pointer = Compatible, Note, pointer+"/scale"
		f.Text = "the scale subresource is new"
		r.add(f)
		return
	case after == nil:
		f.Text = "the scale subresource is removed: kubectl scale and autoscalers fail"
		r.add(f)
		return
	}
	for _, path := range []struct{ field, before, after string }{
		{"specReplicasPath", before.SpecReplicasPath, after.SpecReplicasPath},
		{"statusReplicasPath", before.StatusReplicasPath, after.StatusReplicasPath},
		{"labelSelectorPath", valueOf(before.LabelSelectorPath), valueOf(after.LabelSelectorPath)},
	} {
		if path.before != path.after {
			r.checkScalePath(f, path.field, path.before, path.after)
		}
	}
}

func (r *resourceCheck) checkScalePath(f Finding, field, before, after string) {
	f.Old, f.New, f.Pointer = before, after, f.Pointer+"/scale/"+field
	switch {
	case before == "":
		f.Verdict, f.Severity = Compatible, Note
		f.Text = fmt.Sprintf("%s of the scale subresource is new", field)
	case after == "":
		f.Pointer = strings.TrimSuffix(f.Pointer, "/"+field)
		f.Text = fmt.Sprintf("%s of the scale subresource is removed: autoscalers find no pods", field)
	default:
		f.Severity = Warning
		f.Text = fmt.Sprintf("%s of the scale subresource changes from %s to %s: autoscalers read and write another field", field, before, after)
	}
	r.add(f)
}

// valueOf returns what a pointer points to, the zero value for nil.
func valueOf[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// checkSelectable compares the fields that clients can select.
func (r *resourceCheck) checkSelectable(old, v *apiextensionsv1.CustomResourceDefinitionVersion, j int) {
	paths := func(v *apiextensionsv1.CustomResourceDefinitionVersion) []string {
		var all []string
		for _, f := range v.SelectableFields {
			all = append(all, strings.TrimPrefix(f.JSONPath, "."))
		}
		return all
	}
	pointer := strings.TrimSuffix(versionPointer(j, ""), "/")
	if len(v.SelectableFields) > 0 {
		pointer = versionPointer(j, "selectableFields")
	}
	before, after := paths(old), paths(v)
	for _, path := range without(before, after) {
		r.add(Finding{
			Code: SelectableField, Verdict: Incompatible, Severity: Error, Version: v.Name, Field: path, Pointer: pointer, Old: path,
			New:  fmt.Sprintf("field label not supported: %s", path),
			Text: fmt.Sprintf("the field %s cannot be selected any more: lists and watches with it in their field selector fail", path),
		})
	}
	for _, path := range without(after, before) {
		r.add(Finding{
			Code: SelectableField, Verdict: Compatible, Severity: Note, Version: v.Name, Field: path,
			Pointer: fmt.Sprintf("%s/%d", pointer, slices.Index(after, path)), New: path,
			Text: fmt.Sprintf("the field %s can be selected now", path),
		})
	}
}

// checkColumns compares the columns that kubectl get prints. No request depends on them.
func (r *resourceCheck) checkColumns(old, v *apiextensionsv1.CustomResourceDefinitionVersion, j int) {
	add := func(pointer, before, after, text string) {
		r.add(Finding{
			Code: PrinterColumn, Verdict: Compatible, Severity: Note, Version: v.Name, Pointer: pointer, Old: before, New: after, Text: text,
		})
	}
	find := func(columns []apiextensionsv1.CustomResourceColumnDefinition, name string) int {
		return slices.IndexFunc(columns, func(c apiextensionsv1.CustomResourceColumnDefinition) bool { return c.Name == name })
	}
	pointer := strings.TrimSuffix(versionPointer(j, ""), "/")
	for _, c := range old.AdditionalPrinterColumns {
		n := find(v.AdditionalPrinterColumns, c.Name)
		if n < 0 {
			add(pointer, describeColumn(c), "", fmt.Sprintf("kubectl get does not print the column %s any more", c.Name))
			continue
		}
		if before, after := describeColumn(c), describeColumn(v.AdditionalPrinterColumns[n]); before != after {
			add(fmt.Sprintf("%s/additionalPrinterColumns/%d", pointer, n), before, after, fmt.Sprintf("the column %s of kubectl get changes", c.Name))
		}
	}
	for n, c := range v.AdditionalPrinterColumns {
		if find(old.AdditionalPrinterColumns, c.Name) < 0 {
			add(fmt.Sprintf("%s/additionalPrinterColumns/%d", pointer, n), "", describeColumn(c), fmt.Sprintf("kubectl get prints the column %s", c.Name))
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

// checkConversion compares how objects are converted between versions. Nobody but the
// webhook knows what a webhook returns.
func (r *resourceCheck) checkConversion() {
	if len(r.old.Spec.Versions) < 2 && len(r.crd.Spec.Versions) < 2 {
		return
	}
	before, after := convertsByWebhook(r.old), convertsByWebhook(r.crd)
	f := Finding{
		Code: ConversionChanged, Verdict: Unknown, Severity: Warning, Pointer: "/spec",
		Old: describeConversion(r.old), New: describeConversion(r.crd),
	}
	if r.crd.Spec.Conversion != nil {
		f.Pointer = "/spec/conversion"
	}
	switch {
	case f.Old == f.New:
		return
	case before && after:
		f.Severity = Note
		f.Text = "another webhook converts objects; what it returns is not known"
	case after:
		f.Text = "a webhook converts objects now; what it returns is not known, and requests at other versions than the stored one fail without it"
	case r.sameVersions():
		f.Verdict, f.Severity = Compatible, Note
		f.Text = "no webhook converts objects any more; all versions have the same schema"
	default:
		f.Text = "no webhook converts objects any more: only apiVersion changes, and fields that the other version does not declare are removed"
	}
	r.add(f)
}

// describeConversion returns the strategy of conversions and the address of the webhook.
func describeConversion(crd *apiextensionsv1.CustomResourceDefinition) string {
	if !convertsByWebhook(crd) {
		return string(apiextensionsv1.NoneConverter)
	}
	text := string(apiextensionsv1.WebhookConverter)
	w := crd.Spec.Conversion.Webhook
	if w == nil || w.ClientConfig == nil {
		return text
	}
	if url := w.ClientConfig.URL; url != nil {
		return text + " " + *url
	}
	if s := w.ClientConfig.Service; s != nil {
		text += fmt.Sprintf(" %s/%s%s", s.Namespace, s.Name, valueOf(s.Path))
		if s.Port != nil {
			text += fmt.Sprintf(":%d", *s.Port)
		}
	}
	return text
}

// sameVersions reports whether all versions of the new definition have one schema.
func (r *resourceCheck) sameVersions() bool {
	versions := r.crd.Spec.Versions
	for i := range versions {
		if !crdversion.SameSchema(crdversion.Schema(&versions[0]), crdversion.Schema(&versions[i])) {
			return false
		}
	}
	return true
}
