package compat

import (
	"context"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/text/jsondiff"
	"github.com/crdkit/crdkit/validation"
)

// Objects checks stored objects against a change of their definition. It is immutable
// and safe for concurrent use.
type Objects struct{ pair *pair }

// NewObjects prepares a check of the objects of old, which crd is to replace. It changes
// and keeps neither. The errors are those of [Compare]. A nil ctx never ends.
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

// Check says what the change does to one stored object: values that the server with
// the new definition reads differently, and the answer to an update that changes
// nothing. What happens with the old definition, too, is not found. No finding means
// that the object survives.
//
// Each finding has the role [Stored] and the field and the pointer in the object, and no
// witness. obj may be at any version of the old definition; it is not changed. Objects
// are read without conversion by a webhook. The error says why there is no answer: obj is
// nil, of another kind, or the old definition cannot read it. A nil ctx never ends.
func (o *Objects) Check(ctx context.Context, obj *unstructured.Unstructured) ([]Finding, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	c, err := o.begin(ctx, obj)
	if err != nil {
		return nil, err
	}
	is, _, err := c.after.Read(ctx, obj)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		code := Refused
		if c.after.Name() != c.before.Name() {
			code = StoredVersionRemoved
		}
		c.add(Finding{Code: code, Old: "read", New: err.Error(), Text: "the server cannot read the object with the new definition"})
		return c.findings, nil
	}
	c.compareContent(is.Object)
	return c.findings, c.compareUpdates(is.Object)
}

// An objectCheck checks one object.
type objectCheck struct {
	*pair
	ctx           context.Context
	before, after *crdkit.Version
	was           map[string]any // what the old definition reads
	findings      []Finding
}

// begin reads an object with the old definition.
func (o *Objects) begin(ctx context.Context, obj *unstructured.Unstructured) (*objectCheck, error) {
	if obj == nil || obj.Object == nil {
		return nil, fmt.Errorf("compat: the object is nil")
	}
	gvk := obj.GroupVersionKind()
	if gvk.GroupKind() != o.pair.oldDef.GroupKind() {
		return nil, fmt.Errorf("compat: the object is a %s, want a %s", gvk.GroupKind(), o.pair.oldDef.GroupKind())
	}
	before, ok := o.pair.oldDef.Version(gvk.Version)
	if !ok {
		return nil, fmt.Errorf("compat: the old definition has no version %s", gvk.Version)
	}
	after, ok := o.pair.newDef.Version(gvk.Version)
	if !ok {
		after = o.pair.newDef.Storage()
	}
	was, _, err := before.Read(ctx, obj)
	if err != nil {
		return nil, fmt.Errorf("compat: the old definition cannot read the object: %w", err)
	}
	return &objectCheck{pair: o.pair, ctx: ctx, before: before, after: after, was: was.Object}, nil
}

func (c *objectCheck) add(f Finding) {
	f.Role, f.Verdict, f.Version = Stored, Incompatible, c.before.Name()
	if f.Severity == "" {
		f.Severity = Error
	}
	c.findings = append(c.findings, f)
}

// compareContent finds the values that the new definition reads differently.
func (c *objectCheck) compareContent(is map[string]any) {
	for _, diff := range jsondiff.Of(c.was, is) {
		if serverOwned(diff.Path) {
			continue
		}
		f := Finding{
			Code: Changed, Field: diff.Path.String(), Pointer: diff.Path.Pointer(),
			Old: valueText(diff.Before), New: valueText(diff.After), Text: "the value changes",
		}
		switch diff.Kind {
		case jsondiff.Removed:
			f.Code, f.New, f.Text = Pruned, "absent", "the field is removed"
		case jsondiff.Added:
			f.Code, f.Severity, f.Old, f.Text = Defaulted, Warning, "absent", "the value is added"
		}
		c.add(f)
	}
}

// compareUpdates sends the object back as both definitions read it.
func (c *objectCheck) compareUpdates(is map[string]any) error {
	after, err := c.update(c.ctx, c.after, is, is)
	if err != nil || after.object != nil && len(after.result.Ratcheted) == 0 {
		return err
	}
	before, err := c.update(c.ctx, c.before, c.was, c.was)
	if err != nil {
		return err
	}
	if refusal := after.result.Refusal; refusal != nil && before.object != nil {
		c.add(Finding{Code: Refused, Old: "admitted", New: refusal.Message, Text: "an update that changes nothing is refused"})
	}
	for _, e := range added(after.result.Errors, before.result.Errors) {
		c.add(Finding{
			Code: Refused, Field: e.Field, Pointer: e.Pointer, Old: "admitted", New: e.Error(), Text: "an update that changes nothing is refused",
		})
	}
	for _, e := range added(after.result.Ratcheted, append(before.result.Ratcheted, before.result.Errors...)) {
		c.add(Finding{
			Code: Refused, Severity: Warning, Ratcheted: true, Field: e.Field, Pointer: e.Pointer, Old: "admitted", New: e.Error(),
			Text: "the value is refused as soon as it changes",
		})
	}
	return nil
}

// added returns the errors that are not in another list.
func added(list, other validation.ErrorList) validation.ErrorList {
	known := make([]string, 0, len(other))
	for _, e := range other {
		known = append(known, e.Error())
	}
	var rest validation.ErrorList
	for _, e := range list {
		if !slices.Contains(known, e.Error()) {
			rest = append(rest, e)
		}
	}
	return rest
}
