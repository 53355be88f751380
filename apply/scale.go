package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/patching"
	"github.com/crdkit/crdkit/internal/requestopt"
)

// UpdateScale changes an object like a write to its scale subresource by a manager. The function
// change gets the current Scale and turns it into the Scale that the client sends, see
// [github.com/crdkit/crdkit/serving/scale.Scaler.Update]. The object of the result is the custom
// resource. It is an error if the version has no scale subresource.
func (a *Applier) UpdateScale(ctx context.Context, live *unstructured.Unstructured, change func(*autoscalingv1.Scale) error, manager string, opts ...crdkit.RequestOption) (*Result, error) {
	return a.writeScale(ctx, live, manager, nil, opts, func(_ context.Context, w *scaleWrite) error {
		next := w.current.DeepCopy()
		if err := change(next); err != nil {
			return err
		}
		w.track(next)
		return nil
	})
}

func (a *Applier) patchScale(ctx context.Context, r *Request, opts []crdkit.RequestOption) (*Result, error) {
	fields, err := requestopt.FieldValidation[crdkit.FieldValidation](opts)
	if err != nil {
		return nil, err
	}
	if err := a.checkScaled(r.Live); err != nil {
		return nil, err
	}
	if refusal := patching.CheckBody(r.PatchType, r.Body); refusal != nil {
		return a.refusedBy(refusal), nil
	}
	return a.writeScale(ctx, r.Live, r.Manager, nil, opts, func(ctx context.Context, w *scaleWrite) error {
		text, err := json.Marshal(w.current)
		if err != nil {
			return err
		}
		patched, complaints, refusal, err := patching.Document(ctx, text, r.PatchType, r.Body, fields)
		if w.refusal = refusal; err != nil || refusal != nil {
			return err
		}
		next, found, err := decodeScale(patched, fields != crdkit.Ignore)
		if err != nil {
			w.refusal = undecodable(patched, err, nil)
			return nil
		}
		if complaints = append(complaints, found...); len(complaints) > 0 && fields == crdkit.Strict {
			w.refusal = undecodable(patched, strictError(complaints), complaints)
			return nil
		}
		w.warnings = append(complaints, objectmeta.MutatedOwnersWarning(next.OwnerReferences)...)
		w.track(next)
		return nil
	})
}

func (a *Applier) applyScale(ctx context.Context, r *Request, opts []crdkit.RequestOption) (*Result, error) {
	return a.writeScale(ctx, r.Live, r.Manager, r.Config, opts, func(_ context.Context, w *scaleWrite) error {
		return w.merge(r.Config.DeepCopy(), r.Force)
	})
}

type scaleWrite struct {
	applier  *Applier
	fields   *managedfields.FieldManager
	manager  string
	current  *autoscalingv1.Scale // the Scale of the live object, with managedFields
	next     *autoscalingv1.Scale // the Scale that the request makes, with managedFields
	warnings []string
	refusal  *crdkit.Refusal
}

// writeScale changes the replicas of an object and their managers. makeNext sets next or refusal in
// the scaleWrite. config is nil if the request is not an apply.
func (a *Applier) writeScale(ctx context.Context, live *unstructured.Unstructured, manager string, config *unstructured.Unstructured, opts []crdkit.RequestOption, makeNext func(context.Context, *scaleWrite) error) (*Result, error) {
	if err := a.checkScaled(live); err != nil {
		return nil, err
	}
	if err := checkManager(manager, config != nil); err != nil {
		return a.refused(err), nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	f, err := a.manager(ctx, scaleResource, config != nil)
	if err != nil {
		return nil, err
	}
	w := &scaleWrite{applier: a, fields: f, manager: manager}
	obj := live.DeepCopy()
	err = w.change(obj, func() error { return makeNext(ctx, w) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if w.next != nil {
		obj.SetName(w.next.Name) // the update checks name and namespace
		obj.SetNamespace(w.next.Namespace)
	}
	if err != nil && (w.next == nil || !a.misnames(ctx, obj, live, opts)) {
		return w.refused(ctx, err, config), nil
	}
	res, err := a.write(ctx, mainResource, obj, live, opts)
	if err != nil {
		return nil, err
	}
	a.warnFirst(res, w.warnings)
	return res, nil
}

// misnames reports whether the server refuses obj as an update of live, because the name or
// namespace differs.
func (a *Applier) misnames(ctx context.Context, obj, live *unstructured.Unstructured, opts []crdkit.RequestOption) bool {
	res, err := a.write(ctx, mainResource, obj.DeepCopy(), live, opts)
	return err != nil || res.Err() != nil
}

func (a *Applier) checkScaled(live *unstructured.Unstructured) error {
	if a.scaler == nil {
		return fmt.Errorf("apply: %s has no scale subresource", a.version.GroupVersionKind())
	}
	if live == nil {
		return errors.New("apply: the live object is nil")
	}
	return a.checkLive(live)
}

// refused returns the result of a write that fails with err. config is nil if the request is not an
// apply.
func (w *scaleWrite) refused(ctx context.Context, err error, config *unstructured.Unstructured) *Result {
	sortCauses(err)
	res := w.applier.refused(err)
	if w.refusal != nil {
		res = w.applier.refusedBy(w.refusal)
	}
	if config != nil && w.current != nil {
		res.Conflicts = w.applier.conflictsOf(ctx, err, w.object(), config)
	}
	w.applier.warnFirst(res, w.warnings)
	return res
}

func (w *scaleWrite) object() *unstructured.Unstructured {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(w.current)
	if err != nil {
		return nil // cannot happen: every Scale can be converted
	}
	return &unstructured.Unstructured{Object: object}
}

// warnFirst inserts warnings into a result, after the warning about a deprecated version.
func (a *Applier) warnFirst(res *Result, warnings []string) {
	at := 0
	if a.version.Warning() != "" && len(res.Warnings) > 0 {
		at = 1
	}
	res.Warnings = slices.Insert(res.Warnings, at, warnings...)
}

// change copies the replicas and their managers from w.next to obj. makeNext sets w.next.
func (w *scaleWrite) change(obj *unstructured.Unstructured, makeNext func() error) error {
	a := w.applier
	handler := managedfields.NewScaleHandler(obj.GetManagedFields(), a.version.GroupVersionKind().GroupVersion(), a.replicas)
	managers, err := handler.ToSubresource()
	if err != nil {
		return err
	}
	err = a.scaler.Update(obj, func(scale *autoscalingv1.Scale) error {
		scale.ManagedFields = managers
		w.current = scale.DeepCopy()
		if err := makeNext(); err != nil {
			return err
		}
		if w.refusal != nil {
			return errRefused
		}
		*scale = *w.next
		return nil
	})
	if err != nil {
		return err
	}
	entries, err := handler.ToParent(w.next.ManagedFields)
	if err != nil {
		return err
	}
	obj.SetManagedFields(entries)
	return nil
}

// errRefused ends a scaleWrite whose refusal is set.
var errRefused = errors.New("apply: the write is refused")

// track records the manager in a Scale, and keeps the result as w.next.
func (w *scaleWrite) track(next *autoscalingv1.Scale) {
	before := w.current.DeepCopy()
	if before.UID == "" {
		before.UID = storedUID
	}
	w.hideTimes(before, next)
	tracked, err := w.fields.Update(before, next, w.manager)
	if err != nil {
		next.ManagedFields = before.ManagedFields
		tracked = next
	}
	w.next = tracked.(*autoscalingv1.Scale)
}

func (w *scaleWrite) merge(config *unstructured.Unstructured, force bool) error {
	before := w.current.DeepCopy()
	w.hideTimes(before)
	merged, err := w.fields.Apply(before, config, w.manager, force)
	if err != nil {
		return err
	}
	next, ok := merged.(*autoscalingv1.Scale)
	if !ok {
		return apierrors.NewBadRequest(fmt.Sprintf("wrong object passed to Scale update: %v", merged))
	}
	w.next = next
	return nil
}

// hideTimes is [times.hide] for Scales. It does not hide the times of the custom resource.
func (w *scaleWrite) hideTimes(scales ...*autoscalingv1.Scale) {
	objects := make([]*unstructured.Unstructured, len(scales))
	for i, s := range scales {
		objects[i] = ownersOf(s.ManagedFields)
	}
	t := newTimes(w.applier.clock(), objects...)
	for i, s := range scales {
		t.hide(objects[i])
		s.ManagedFields = objects[i].GetManagedFields()
	}
}

func ownersOf(entries []metav1.ManagedFieldsEntry) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	u.SetManagedFields(entries)
	return u
}
