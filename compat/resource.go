package compat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdkit/crdkit/definition"
	"github.com/crdkit/crdkit/internal/crdversion"
)

// A resourceCheck compares two definitions outside of their schemas.
type resourceCheck struct {
	*pair
	ctx      context.Context
	stored   []string            // the versions at which the old definition stores objects
	assumed  bool                // the old definition has no status: stored is a guess
	refusals map[string][]string // the server's errors about the new definition by their pointers
	order    []string            // the pointers in the order of their errors
	findings []Finding
}

// resourceFindings returns the findings about the definitions outside of their
// schemas.
func resourceFindings(ctx context.Context, p *pair) []Finding {
	r := &resourceCheck{pair: p, ctx: ctx, refusals: map[string][]string{}}
	r.checkDefinition()
	r.checkScope()
	r.checkNames()
	r.checkUnknownFields()
	r.checkVersions()
	r.checkConversion()
	r.reportRefusals()
	return r.findings
}

func (r *resourceCheck) add(f Finding) {
	f.Role = Resource
	r.findings = append(r.findings, f)
}

// checkDefinition asks for the server's errors about the new definition in place of
// the old one. An old definition without a status, such as one in a repository,
// counts as established and stores objects at its storage version only.
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
		r.add(Finding{
			Code: Undecided, Verdict: Unknown, Severity: Warning, Pointer: "/spec",
			Text: "not decided: would the server accept the new definition? " + report.Undecided.Error(),
		})
		return
	}
	for _, e := range report.Errors {
		if r.refusals[e.Pointer] == nil {
			r.order = append(r.order, e.Pointer)
		}
		r.refusals[e.Pointer] = append(r.refusals[e.Pointer], e.Error())
	}
}

// refusal returns the server's errors about a part of the new definition, which no
// other finding reports then.
func (r *resourceCheck) refusal(pointer string) string {
	texts := r.refusals[pointer]
	delete(r.refusals, pointer)
	return strings.Join(texts, "; ")
}

// reportRefusals reports the server's errors that belong to no other finding.
func (r *resourceCheck) reportRefusals() {
	for _, pointer := range r.order {
		for _, text := range r.refusals[pointer] {
			r.add(Finding{
				Code: DefinitionRefused, Verdict: Incompatible, Severity: Error, Pointer: pointer, New: text,
				Text: "the server refuses the new definition in place of the old one",
			})
		}
	}
}

// kindFinding returns the finding about a changed kind. The server refuses such a change
// of a definition in use, so nothing else is compared.
func kindFinding(old, crd *apiextensionsv1.CustomResourceDefinition) (Finding, bool) {
	before, after := old.Spec.Names.Kind, crd.Spec.Names.Kind
	return Finding{
		Code: KindChanged, Verdict: Incompatible, Severity: Error, Role: Resource, Pointer: "/spec/names/kind", Old: before, New: after,
		Text: fmt.Sprintf("the kind was %s and is %s: the server refuses the new definition as long as the old one exists", before, after),
	}, before != after
}

func (r *resourceCheck) checkScope() {
	before, after := r.old.Spec.Scope, r.crd.Spec.Scope
	if before == after {
		return
	}
	f := Finding{
		Code: ScopeChanged, Verdict: Incompatible, Severity: Error, Pointer: "/spec/scope",
		Old: string(before), New: cmp.Or(r.refusal("/spec/scope"), string(after)),
		Text: fmt.Sprintf("the scope changes from %s to %s: every request has another URL, and the server does not find the stored objects", before, after),
	}
	r.add(f)
}

// checkNames compares the names under which clients find the objects. The kinds are
// equal.
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
		f := Finding{
			Code: NamesChanged, Verdict: Incompatible, Severity: Warning, Pointer: pointer, Old: name.before, New: name.after,
			Text: fmt.Sprintf("the %s name changes from %s to %s: %s", strings.TrimSuffix(name.field, "Kind"), name.before, name.after, name.effect),
		}
		if text := r.refusal(pointer); text != "" || name.field == "plural" {
			f.Severity, f.New = Error, cmp.Or(text, name.after)
		}
		r.add(f)
	}
	r.checkNameList("shortNames", "short name", before.ShortNames, after.ShortNames)
	r.checkNameList("categories", "category", before.Categories, after.Categories)
}

// checkNameList reports which names of a list are removed and added.
func (r *resourceCheck) checkNameList(field, what string, before, after []string) {
	pointer := "/spec/names"
	if len(after) > 0 {
		pointer += "/" + field
	}
	for _, name := range without(before, after) {
		r.add(Finding{
			Code: NamesChanged, Verdict: Incompatible, Severity: Warning, Pointer: pointer, Old: name,
			Text: fmt.Sprintf("the %s %s is removed: kubectl does not find the resource under it", what, name),
		})
	}
	for _, name := range without(after, before) {
		r.add(Finding{
			Code: NamesAdded, Verdict: Compatible, Severity: Note, Pointer: pointer, New: name,
			Text: fmt.Sprintf("the %s %s is new", what, name),
		})
	}
}

// without returns the elements of a list that are not in another one, in their order.
func without(list, other []string) []string {
	var rest []string
	for _, name := range list {
		if !slices.Contains(other, name) {
			rest = append(rest, name)
		}
	}
	return rest
}

// checkUnknownFields compares spec.preserveUnknownFields, which beats all schemas.
func (r *resourceCheck) checkUnknownFields() {
	before, after := r.old.Spec.PreserveUnknownFields, r.crd.Spec.PreserveUnknownFields
	if before == after {
		return
	}
	f := Finding{
		Code: PreserveUnknownFields, Verdict: Incompatible, Severity: Error, Pointer: "/spec",
		Old: fmt.Sprint(before), New: fmt.Sprint(after),
		Text: "spec.preserveUnknownFields is not true any more: the server removes every field that the schemas do not declare",
	}
	if after {
		f.Severity = Warning
		f.Text = "spec.preserveUnknownFields becomes true: the server keeps fields that the schemas do not declare"
	}
	r.add(f)
}
