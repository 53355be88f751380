package compat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/search"
	"github.com/crdkit/crdkit/validation"
)

// Objects checks stored objects against a change of their definition. It is immutable and safe for
// concurrent use.
type Objects struct{ pair *pair }

// NewObjects prepares a check of the objects of old, which crd is to replace. It does not change or
// keep the definitions. It fails in the same cases as [Compare]. A nil ctx never ends.
func NewObjects(ctx context.Context, old, crd *apiextensionsv1.CustomResourceDefinition) (*Objects, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	p, err := newPair(ctx, old, crd)
	if err != nil {
		return nil, err
	}
	return &Objects{p}, nil
}

// Check returns what the change does to one stored object: values that the server reads differently
// with the new definition, and the refusal of an update that changes nothing. If there is no
// finding, the object survives.
//
// Each finding has the role [RoleStored], the field and the pointer in the object, and no witness.
// obj may be at any version of the old definition. Check does not change it, and calls no
// conversion webhook. It returns an error if obj is nil or of another kind, if the old definition
// cannot read it, or if ctx ends. A nil ctx never ends.
func (o *Objects) Check(ctx context.Context, obj *unstructured.Unstructured) ([]Finding, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if obj == nil || obj.Object == nil {
		return nil, errors.New("compat: the object is nil")
	}
	p, gvk := o.pair, obj.GroupVersionKind()
	if gvk.GroupKind() != p.oldDef.GroupKind() {
		return nil, fmt.Errorf("compat: the object is a %s, want a %s", gvk.GroupKind(), p.oldDef.GroupKind())
	}
	before, ok := p.oldDef.Version(gvk.Version)
	if !ok {
		return nil, fmt.Errorf("compat: the old definition has no version %s", gvk.Version)
	}
	after, code := p.newDef.Storage(), CodeStoredVersionRemoved
	if v, ok := p.newDef.Version(gvk.Version); ok {
		after, code = v, CodeRefused
	}
	was, _, err := before.Read(ctx, obj)
	if err != nil {
		return nil, fmt.Errorf("compat: the old definition cannot read the object: %w", err)
	}
	is, _, err := after.Read(ctx, obj)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		f := Finding{Code: code, Severity: SeverityError, Old: "read", New: err.Error(), Text: "the server cannot read the object with the new definition"}
		return storedFindings(before, []Finding{f}), nil
	}
	found, err := p.updateFindings(ctx, before, after, was.Object, is.Object)
	return storedFindings(before, append(contentFindings(was.Object, is.Object), found...)), err
}

func storedFindings(v *crdkit.Version, found []Finding) []Finding {
	for i := range found {
		found[i].Role, found[i].Verdict, found[i].Version = RoleStored, VerdictIncompatible, v.Name()
	}
	return found
}

func contentFindings(was, is map[string]any) []Finding {
	var out []Finding
	for _, d := range contentDifferences(difference{}, was, is) {
		f := Finding{Code: d.code, Severity: SeverityError, Field: d.path.String(), Pointer: d.path.Pointer(), Old: d.old, New: d.new, Text: "the value changes"}
		switch d.code {
		case CodePruned:
			f.Text = "the field is removed"
		case CodeDefaulted:
			f.Severity, f.Text = SeverityWarning, "the value is added"
		}
		out = append(out, f)
	}
	return out
}

// updateFindings updates oldObj with the old definition and newObj with the new one, without a
// change. It returns the errors of the new definition only.
func (p *pair) updateFindings(ctx context.Context, v, newVersion *crdkit.Version, oldObj, newObj map[string]any) ([]Finding, error) {
	after, err := p.request(ctx, newVersion, search.Case{Object: newObj, Old: newObj})
	if err != nil || after.object != nil && len(after.result.Ratcheted) == 0 {
		return nil, err
	}
	before, err := p.request(ctx, v, search.Case{Object: oldObj, Old: oldObj})
	if err != nil {
		return nil, err
	}
	var out []Finding
	refused := Finding{Code: CodeRefused, Severity: SeverityError, Old: "admitted", Text: "an update that changes nothing is refused"}
	if refusal := after.result.Refusal; refusal != nil && before.object != nil {
		refused.New = refusal.Message
		out = append(out, refused)
	}
	for _, e := range added(after.result.Errors, before.result.Errors) {
		refused.Field, refused.Pointer, refused.New = e.Field, e.Pointer, e.Error()
		out = append(out, refused)
	}
	for _, e := range added(after.result.Ratcheted, append(before.result.Ratcheted, before.result.Errors...)) {
		out = append(out, Finding{
			Code: CodeRefused, Severity: SeverityWarning, Ratcheted: true, Field: e.Field, Pointer: e.Pointer, Old: "admitted", New: e.Error(),
			Text: "the value is refused as soon as it changes",
		})
	}
	return out, nil
}

func added(list, other validation.ErrorList) validation.ErrorList {
	return slices.DeleteFunc(slices.Clone(list), func(e *validation.Error) bool {
		return slices.ContainsFunc(other, func(known *validation.Error) bool { return known.Error() == e.Error() })
	})
}
