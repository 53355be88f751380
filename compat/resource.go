package compat

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/crdversion"
	"github.com/crdkit/crdkit/internal/schemaopt"
	"github.com/crdkit/crdkit/internal/search"
)

type resourceCheck struct {
	*pair
	ctx      context.Context
	stored   []string            // the versions at which the old definition stores objects
	assumed  bool                // stored is a guess: the old definition has no status
	refusals map[string][]string // the server's errors about the new definition, by pointer
	order    []string
	findings []Finding
}

func resourceFindings(ctx context.Context, p *pair) []Finding {
	r := &resourceCheck{pair: p, ctx: ctx, refusals: map[string][]string{}}
	if r.checkKind() {
		return r.findings
	}
	r.checkDefinition()
	r.checkScope()
	r.checkNames()
	r.checkUnknownFields()
	r.checkVersions()
	r.checkConversion()
	r.reportRefusals()
	return r.findings
}

// add adds a finding about a version, or about the whole definition if version is "". A note gets
// the verdict compatible. The caller may change the finding until the next call.
func (r *resourceCheck) add(code Code, severity Severity, version, pointer, before, after, text string, args ...any) *Finding {
	f := Finding{
		Code: code, Verdict: VerdictIncompatible, Severity: severity, Role: RoleResource, Version: version, Pointer: pointer,
		Old: before, New: after, Text: fmt.Sprintf(text, args...),
	}
	if severity == SeverityNote {
		f.Verdict = VerdictCompatible
	}
	r.findings = append(r.findings, f)
	return &r.findings[len(r.findings)-1]
}

// checkDefinition finds the server's errors about the new definition. An old definition without a
// status, such as one from a file, counts as established, with objects at its storage version.
func (r *resourceCheck) checkDefinition() {
	old := *r.old
	if r.assumed = len(old.Status.StoredVersions) == 0; r.assumed {
		old.Status.StoredVersions = definition.StoredVersions(&old, nil)
	}
	r.stored = old.Status.StoredVersions
	if len(old.Status.Conditions) == 0 {
		old.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
			{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue},
		}
	}
	report := definition.CheckUpdate(r.crd, &old, definition.WithContext(r.ctx))
	if report.Undecided != nil {
		r.add(CodeUndecided, SeverityWarning, "", "/spec", "", "", "not decided: would the server accept the new definition? %v", report.Undecided).Verdict = VerdictUnknown
		return
	}
	for _, e := range report.Errors {
		if r.refusals[e.Pointer] == nil {
			r.order = append(r.order, e.Pointer)
		}
		r.refusals[e.Pointer] = append(r.refusals[e.Pointer], e.Error())
	}
}

// refusal takes the server's errors about a part out of r.refusals, so that no other finding
// reports them.
func (r *resourceCheck) refusal(pointer string) string {
	texts := r.refusals[pointer]
	delete(r.refusals, pointer)
	return strings.Join(texts, "; ")
}

func (r *resourceCheck) reportRefusals() {
	for _, pointer := range r.order {
		for _, text := range r.refusals[pointer] {
			r.add(CodeDefinition, SeverityError, "", pointer, "", text, "the server refuses the new definition in place of the old one")
		}
	}
}

// checkKind reports a changed kind, which the server refuses. Nothing else is then compared.
func (r *resourceCheck) checkKind() (changed bool) {
	before, after := r.old.Spec.Names.Kind, r.crd.Spec.Names.Kind
	if before != after {
		r.add(CodeKind, SeverityError, "", "/spec/names/kind", before, after,
			"the kind was %s and is %s: the server refuses the new definition as long as the old one exists", before, after)
	}
	return before != after
}

func (r *resourceCheck) checkScope() {
	if before, after := string(r.old.Spec.Scope), string(r.crd.Spec.Scope); before != after {
		r.add(CodeScope, SeverityError, "", "/spec/scope", before, cmp.Or(r.refusal("/spec/scope"), after),
			"the scope changes from %s to %s: every request has another URL, and the server does not find the stored objects", before, after)
	}
}

// checkNames compares the names by which clients find the objects, except the kind.
func (r *resourceCheck) checkNames() {
	before, after := r.old.Spec.Names, r.crd.Spec.Names
	crdversion.SetDefaultNames(&before)
	crdversion.SetDefaultNames(&after)
	for _, name := range []struct{ field, before, after, effect string }{
		{"plural", before.Plural, after.Plural, "every request has another URL, and the server does not find the stored objects"},
		{"singular", before.Singular, after.Singular, "kubectl does not find the resource under the old name"},
		{"listKind", before.ListKind, after.ListKind, "clients that decode lists by their kind do not know it"},
	} {
		if name.before == name.after {
			continue
		}
		pointer := "/spec/names/" + name.field
		refused, severity := r.refusal(pointer), SeverityWarning
		if refused != "" || name.field == "plural" {
			severity = SeverityError
		}
		r.add(CodeNames, severity, "", pointer, name.before, cmp.Or(refused, name.after),
			"the %s name changes from %s to %s: %s", strings.TrimSuffix(name.field, "Kind"), name.before, name.after, name.effect)
	}
	for _, list := range []struct {
		field, what   string
		before, after []string
	}{{"shortNames", "short name", before.ShortNames, after.ShortNames}, {"categories", "category", before.Categories, after.Categories}} {
		pointer := pointerIf("/spec/names", list.field, len(list.after) > 0)
		for _, name := range without(list.before, list.after) {
			r.add(CodeNames, SeverityWarning, "", pointer, name, "", "the %s %s is removed: kubectl does not find the resource under it", list.what, name)
		}
		for _, name := range without(list.after, list.before) {
			r.add(CodeNamesAdded, SeverityNote, "", pointer, "", name, "the %s %s is new", list.what, name)
		}
	}
}

// pointerIf returns the pointer of a part if it exists, otherwise the pointer of what is around it.
func pointerIf(around, part string, has bool) string {
	if has {
		return around + "/" + part
	}
	return around
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(other, name) })
}

// checkUnknownFields compares spec.preserveUnknownFields, which overrides all schemas.
func (r *resourceCheck) checkUnknownFields() {
	switch before, after := r.old.Spec.PreserveUnknownFields, r.crd.Spec.PreserveUnknownFields; {
	case before && !after:
		r.add(CodePreserveUnknownFields, SeverityError, "", "/spec", "true", "false",
			"spec.preserveUnknownFields is not true any more: the server removes every field that the schemas do not declare")
	case after && !before:
		r.add(CodePreserveUnknownFields, SeverityWarning, "", "/spec", "false", "true",
			"spec.preserveUnknownFields becomes true: the server keeps fields that the schemas do not declare")
	}
}

// checkConversion compares how objects are converted. The results of a webhook are unknown.
func (r *resourceCheck) checkConversion() {
	before, after := describeConversion(r.old), describeConversion(r.crd)
	if before == after || len(r.old.Spec.Versions) < 2 && len(r.crd.Spec.Versions) < 2 {
		return
	}
	verdict, severity := VerdictUnknown, SeverityWarning
	var text string
	switch was, is := convertsByWebhook(r.old), convertsByWebhook(r.crd); {
	case was && is:
		severity, text = SeverityNote, "another webhook converts objects; what it returns is not known"
	case is:
		text = "a webhook converts objects now; what it returns is not known, and requests at other versions than the stored one fail without it"
	case r.sameVersions():
		verdict, severity, text = VerdictCompatible, SeverityNote, "no webhook converts objects any more; all versions have the same schema"
	default:
		text = "no webhook converts objects any more: only apiVersion changes, and fields that the other version does not declare are removed"
	}
	r.add(CodeConversion, severity, "", pointerIf("/spec", "conversion", r.crd.Spec.Conversion != nil), before, after, "%s", text).Verdict = verdict
}

func describeConversion(crd *apiextensionsv1.CustomResourceDefinition) string {
	if !convertsByWebhook(crd) {
		return string(apiextensionsv1.NoneConverter)
	}
	text := string(apiextensionsv1.WebhookConverter)
	client := valueOf(valueOf(crd.Spec.Conversion.Webhook).ClientConfig)
	switch s := client.Service; {
	case client.URL != nil:
		return text + " " + *client.URL
	case s != nil && s.Port != nil:
		return fmt.Sprintf("%s %s/%s%s:%d", text, s.Namespace, s.Name, valueOf(s.Path), *s.Port)
	case s != nil:
		return fmt.Sprintf("%s %s/%s%s", text, s.Namespace, s.Name, valueOf(s.Path))
	}
	return text
}

func (r *resourceCheck) sameVersions() bool {
	versions := r.crd.Spec.Versions
	return !slices.ContainsFunc(versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return !crdversion.SameSchema(crdversion.Schema(&versions[0]), crdversion.Schema(&v))
	})
}

func valueOf[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// checkSubresources compares the subresources of old version i and new version j, at pointer.
func (r *resourceCheck) checkSubresources(i, j int, pointer string) {
	old, v := &r.old.Spec.Versions[i], &r.crd.Spec.Versions[j]
	before, after := valueOf(old.Subresources), valueOf(v.Subresources)
	pointer = pointerIf(pointer, "subresources", v.Subresources != nil)
	switch was, is := before.Status != nil, after.Status != nil; {
	case is && !was:
		f := r.add(CodeStatusSubresource, SeverityError, v.Name, pointer+"/status", "the status of a request is stored", "the status of a request is dropped",
			"status becomes a subresource: requests to the object do not write its status any more, only those to /status")
		f.Field, f.Witness = "status", r.statusWitness(i, false, true)
	case was && !is:
		f := r.add(CodeStatusSubresource, SeverityError, v.Name, pointer, "the status of a request is ignored", "the status of a request is stored",
			"status is not a subresource any more: requests to /status fail, and requests to the object write its status")
		f.Field, f.Witness = "status", r.statusWitness(i, true, false)
	}
	switch was, is := before.Scale, after.Scale; {
	case was == nil && is == nil:
	case was == nil:
		r.add(CodeScaleSubresource, SeverityNote, v.Name, pointer+"/scale", "", "", "the scale subresource is new")
	case is == nil:
		r.add(CodeScaleSubresource, SeverityError, v.Name, pointer, "", "", "the scale subresource is removed: kubectl scale and autoscalers fail")
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
		r.add(CodeScaleSubresource, SeverityNote, version, pointer+"/"+field, before, after, "%s of the scale subresource is new", field)
	case after == "":
		r.add(CodeScaleSubresource, SeverityError, version, pointer, before, after, "%s of the scale subresource is removed: autoscalers find no pods", field)
	default:
		r.add(CodeScaleSubresource, SeverityWarning, version, pointer+"/"+field, before, after,
			"%s of the scale subresource changes from %s to %s: autoscalers read and write another field", field, before, after)
	}
}

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
		r.add(CodeSelectableField, SeverityError, v.Name, pointer, path, "field label not supported: "+path,
			"the field %s cannot be selected any more: lists and watches with it in their field selector fail", path).Field = path
	}
	for _, path := range without(after, before) {
		r.add(CodeSelectableField, SeverityNote, v.Name, fmt.Sprintf("%s/%d", pointer, slices.Index(after, path)), "", path,
			"the field %s can be selected now", path).Field = path
	}
}

// checkColumns compares the columns of kubectl get by name. Columns with the same name are compared
// in their order. Requests do not depend on columns.
func (r *resourceCheck) checkColumns(old, v *apiextensionsv1.CustomResourceDefinitionVersion, pointer string) {
	at := func(n int) string { return fmt.Sprintf("%s/additionalPrinterColumns/%d", pointer, n) }
	columns := map[string][]int{} // the columns of the new version that are not compared yet
	for n, c := range v.AdditionalPrinterColumns {
		columns[c.Name] = append(columns[c.Name], n)
	}
	for _, c := range old.AdditionalPrinterColumns {
		before, left := describeColumn(c), columns[c.Name]
		if len(left) == 0 {
			r.add(CodePrinterColumn, SeverityNote, v.Name, pointer, before, "", "kubectl get does not print the column %s any more", c.Name)
			continue
		}
		columns[c.Name] = left[1:]
		if after := describeColumn(v.AdditionalPrinterColumns[left[0]]); before != after {
			r.add(CodePrinterColumn, SeverityNote, v.Name, at(left[0]), before, after, "the column %s of kubectl get changes", c.Name)
		}
	}
	for n, c := range v.AdditionalPrinterColumns {
		if slices.Contains(columns[c.Name], n) {
			r.add(CodePrinterColumn, SeverityNote, v.Name, at(n), "", describeColumn(c), "kubectl get prints the column %s", c.Name)
		}
	}
}

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

// checkVersions compares the old versions in their order. It then reports the added versions.
func (r *resourceCheck) checkVersions() {
	index := func(crd *apiextensionsv1.CustomResourceDefinition, name string) int {
		return slices.IndexFunc(crd.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	}
	for i := range r.old.Spec.Versions {
		old := &r.old.Spec.Versions[i]
		j := index(r.crd, old.Name)
		if j < 0 {
			r.reportRemoved(i)
			continue
		}
		v, pointer := &r.crd.Spec.Versions[j], versionPointer(j)
		r.checkServed(i, v, pointer)
		if old.Served && v.Served {
			r.checkSubresources(i, j, pointer)
			r.checkSelectable(old, v, pointer)
			r.checkColumns(old, v, pointer)
		}
		r.checkDescriptions(old, v, pointer+"/schema/openAPIV3Schema")
	}
	for j := range r.crd.Spec.Versions {
		if name := r.crd.Spec.Versions[j].Name; index(r.old, name) < 0 {
			r.add(CodeVersionAdded, SeverityNote, name, versionPointer(j)+"/name", "", name, "version %s is new", name)
		}
	}
	before, after := crdversion.Storage(r.old), crdversion.Storage(r.crd)
	if before != nil && after != nil && before.Name != after.Name {
		r.add(CodeStorageVersion, SeverityNote, after.Name, versionPointer(index(r.crd, after.Name))+"/storage", before.Name, after.Name,
			"objects are stored at %s when they are next written, and stay at %s until then; see crdkit migrate", after.Name, before.Name)
	}
}

func versionPointer(i int) string { return fmt.Sprintf("/spec/versions/%d", i) }

func (r *resourceCheck) reportRemoved(i int) {
	old := &r.old.Spec.Versions[i]
	if slices.Contains(r.stored, old.Name) {
		assumed := ""
		if r.assumed {
			assumed = " (assumed: the old definition has no status.storedVersions, so objects are stored at its storage version)"
		}
		f := r.add(CodeStoredVersionRemoved, SeverityError, old.Name, "/spec/versions", "read", "",
			"version %s is removed while objects are stored at it: the server cannot read them%s", old.Name, assumed)
		f.Witness, f.New = r.refused(i, func(obj *unstructured.Unstructured) error {
			_, _, err := r.newDef.Storage().Read(r.ctx, obj)
			return err
		})
		for _, pointer := range slices.Clone(r.order) {
			if pointer == "/status/storedVersions" || pointer == fmt.Sprintf("/status/storedVersions/%d", slices.Index(r.stored, old.Name)) {
				f.New = cmp.Or(f.New, r.refusal(pointer))
				delete(r.refusals, pointer)
			}
		}
	}
	if !old.Served {
		r.add(CodeVersionRemoved, SeverityNote, old.Name, "/spec/versions", old.Name, "", "version %s is removed; no client could use it, for it was not served", old.Name)
		return
	}
	r.addNotServed(i, CodeVersionRemoved, "/spec/versions", "version %s is removed: every request at it fails")
}

func (r *resourceCheck) checkServed(i int, v *apiextensionsv1.CustomResourceDefinitionVersion, pointer string) {
	old := &r.old.Spec.Versions[i]
	switch {
	case old.Served && !v.Served:
		r.addNotServed(i, CodeNotServed, pointer+"/served", "version %s is not served any more: every request at it fails")
	case !old.Served && v.Served:
		r.add(CodeServed, SeverityNote, v.Name, pointer+"/served", "false", "true", "version %s is served now", v.Name)
	}
	if v.Deprecated && !old.Deprecated {
		compiled, _ := r.newDef.Version(v.Name)
		r.add(CodeDeprecated, SeverityNote, v.Name, pointer+"/deprecated", "", compiled.Warning(),
			"version %s is deprecated: the server warns every client of it", v.Name)
	}
}

// addNotServed adds a finding about an old version that the new definition does not serve. It is an
// error, or a warning if the version is deprecated.
func (r *resourceCheck) addNotServed(i int, code Code, pointer, text string) {
	old := &r.old.Spec.Versions[i]
	f := r.add(code, SeverityError, old.Name, pointer, "served", "", text, old.Name)
	if old.Deprecated {
		f.Severity = SeverityWarning
	}
	f.Witness, f.New = r.refused(i, func(obj *unstructured.Unstructured) error {
		_, err := r.newDef.VersionFor(obj)
		return err
	})
}

// find returns an object of old version i that satisfies c and for which holds is true, or nil.
func (r *resourceCheck) find(i int, c *search.Cond, holds func(old *crdkit.Version, obj map[string]any) bool) map[string]any {
	s, err := newSide(r.oldDef, r.old, i, &schemaopt.Shared{})
	if err != nil {
		return nil
	}
	return s.find(r.ctx, c, func(obj map[string]any) bool { return holds(s.version, obj) })
}

func (r *resourceCheck) refused(i int, request func(obj *unstructured.Unstructured) error) (*Witness, string) {
	obj := r.find(i, search.True, func(old *crdkit.Version, obj map[string]any) bool {
		out, err := r.request(r.ctx, old, search.Case{Object: obj})
		return err == nil && out.object != nil && request(unstructuredCopy(obj)) != nil
	})
	if obj == nil {
		return nil, ""
	}
	return &Witness{Object: obj}, request(unstructuredCopy(obj)).Error()
}

// statusWitness returns a request at old version i, with a status that only one definition stores.
// It returns nil if it finds none.
func (r *resourceCheck) statusWitness(i int, update, storedByOld bool) *Witness {
	caseOf := func(obj map[string]any) (k search.Case) {
		if k.Object = obj; update {
			k.Old = withoutStatus(obj)
		}
		return k
	}
	obj := r.find(i, search.At("status", search.Types(search.Any&^search.Null)), func(old *crdkit.Version, obj map[string]any) bool {
		after, _ := r.newDef.Version(old.Name())
		was, err := r.request(r.ctx, old, caseOf(obj))
		if err != nil || was.object == nil || (was.object["status"] != nil) != storedByOld {
			return false
		}
		is, err := r.request(r.ctx, after, caseOf(obj))
		return err == nil && is.object != nil && (is.object["status"] != nil) != storedByOld
	})
	if obj == nil {
		return nil
	}
	return &Witness{Object: obj, Old: caseOf(obj).Old}
}

func withoutStatus(obj map[string]any) map[string]any {
	rest := maps.Clone(obj)
	delete(rest, "status")
	return rest
}
