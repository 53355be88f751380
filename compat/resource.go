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

// add adds a finding about a version, or about the whole definition if that is "". A note is
// compatible. The finding may be changed until the next one is added.
func (r *resourceCheck) add(code Code, severity Severity, version, pointer, before, after, text string, args ...any) *Finding {
	f := Finding{
		Code: code, Verdict: Incompatible, Severity: severity, Role: Resource, Version: version, Pointer: pointer,
		Old: before, New: after, Text: fmt.Sprintf(text, args...),
	}
	if severity == Note {
		f.Verdict = Compatible
	}
	r.findings = append(r.findings, f)
	return &r.findings[len(r.findings)-1]
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
		r.add(Undecided, Warning, "", "/spec", "", "", "not decided: would the server accept the new definition? %v", report.Undecided).Verdict = Unknown
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
			r.add(DefinitionRefused, Error, "", pointer, "", text, "the server refuses the new definition in place of the old one")
		}
	}
}

// checkKind reports a changed kind. The server refuses such a change of a definition in use,
// so nothing else is compared.
func (r *resourceCheck) checkKind() (changed bool) {
	before, after := r.old.Spec.Names.Kind, r.crd.Spec.Names.Kind
	if before != after {
		r.add(KindChanged, Error, "", "/spec/names/kind", before, after,
			"the kind was %s and is %s: the server refuses the new definition as long as the old one exists", before, after)
	}
	return before != after
}

func (r *resourceCheck) checkScope() {
	if before, after := string(r.old.Spec.Scope), string(r.crd.Spec.Scope); before != after {
		r.add(ScopeChanged, Error, "", "/spec/scope", before, cmp.Or(r.refusal("/spec/scope"), after),
			"the scope changes from %s to %s: every request has another URL, and the server does not find the stored objects", before, after)
	}
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
		refused, severity := r.refusal(pointer), Warning
		if refused != "" || name.field == "plural" {
			severity = Error
		}
		r.add(NamesChanged, severity, "", pointer, name.before, cmp.Or(refused, name.after),
			"the %s name changes from %s to %s: %s", strings.TrimSuffix(name.field, "Kind"), name.before, name.after, name.effect)
	}
	for _, list := range []struct {
		field, what   string
		before, after []string
	}{{"shortNames", "short name", before.ShortNames, after.ShortNames}, {"categories", "category", before.Categories, after.Categories}} {
		pointer := pointerIf("/spec/names", list.field, len(list.after) > 0)
		for _, name := range without(list.before, list.after) {
			r.add(NamesChanged, Warning, "", pointer, name, "", "the %s %s is removed: kubectl does not find the resource under it", list.what, name)
		}
		for _, name := range without(list.after, list.before) {
			r.add(NamesAdded, Note, "", pointer, "", name, "the %s %s is new", list.what, name)
		}
	}
}

// pointerIf returns the pointer of a part, or of what is around it if there is no such part.
func pointerIf(around, part string, has bool) string {
	if has {
		return around + "/" + part
	}
	return around
}

// without returns the elements of a list that are not in another one, in their order.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(other, name) })
}

// checkUnknownFields compares spec.preserveUnknownFields, which beats all schemas.
func (r *resourceCheck) checkUnknownFields() {
	switch before, after := r.old.Spec.PreserveUnknownFields, r.crd.Spec.PreserveUnknownFields; {
	case before && !after:
		r.add(PreserveUnknownFields, Error, "", "/spec", "true", "false",
			"spec.preserveUnknownFields is not true any more: the server removes every field that the schemas do not declare")
	case after && !before:
		r.add(PreserveUnknownFields, Warning, "", "/spec", "false", "true",
			"spec.preserveUnknownFields becomes true: the server keeps fields that the schemas do not declare")
	}
}

// checkConversion compares how objects are converted between versions. Nobody but the
// webhook knows what a webhook returns.
func (r *resourceCheck) checkConversion() {
	before, after := describeConversion(r.old), describeConversion(r.crd)
	if before == after || len(r.old.Spec.Versions) < 2 && len(r.crd.Spec.Versions) < 2 {
		return
	}
	verdict, severity := Unknown, Warning
	var text string
	switch was, is := convertsByWebhook(r.old), convertsByWebhook(r.crd); {
	case was && is:
		severity, text = Note, "another webhook converts objects; what it returns is not known"
	case is:
		text = "a webhook converts objects now; what it returns is not known, and requests at other versions than the stored one fail without it"
	case r.sameVersions():
		verdict, severity, text = Compatible, Note, "no webhook converts objects any more; all versions have the same schema"
	default:
		text = "no webhook converts objects any more: only apiVersion changes, and fields that the other version does not declare are removed"
	}
	r.add(ConversionChanged, severity, "", pointerIf("/spec", "conversion", r.crd.Spec.Conversion != nil), before, after, "%s", text).Verdict = verdict
}

// describeConversion returns the strategy of conversions and the address of the webhook.
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

// sameVersions reports whether all versions of the new definition have one schema.
func (r *resourceCheck) sameVersions() bool {
	versions := r.crd.Spec.Versions
	return !slices.ContainsFunc(versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool {
		return !crdversion.SameSchema(crdversion.Schema(&versions[0]), crdversion.Schema(&v))
	})
}

// valueOf returns what a pointer points to, the zero value for nil.
func valueOf[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
