package apply

import (
	"context"
	"errors"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/crdkit/crdkit"
)

// UpdateScale changes an object as a write to its scale subresource by a manager does.
// change turns the current Scale into that of the client, see
// [github.com/crdkit/crdkit/serving/scale.Scaler.Update]. The object of the result is the
// custom resource. It is an error if the version has no scale subresource.
func (a *Applier) UpdateScale(ctx context.Context, live *unstructured.Unstructured, change func(*autoscalingv1.Scale) error, manager string, opts ...crdkit.RequestOption) (*Result, error) {
	if a.scaler == nil {
		return nil, fmt.Errorf("apply: %s has no scale subresource", a.version.GroupVersionKind())
	}
	if live == nil {
		return nil, errors.New("apply: the live object is nil")
	}
	if err := checkGoTypes(live); err != nil {
		return nil, err
	}
	if err := a.checkLive(live); err != nil {
		return nil, err
	}
	if err := checkManager(manager, false); err != nil {
		return a.refused(err), nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	f, err := a.manager(ctx, scaleResource, false)
	if err != nil {
		return nil, err
	}
	obj := stored(live)
	t := newTimes(a.clock(), obj)
	t.hide(obj)
	if err := a.scale(f, obj, change, manager); err != nil {
		return a.refused(err), nil
	}
	t.restore(obj)
	if live.GetUID() == "" {
		unstructured.RemoveNestedField(obj.Object, "metadata", "uid")
	}
	return a.write(ctx, mainResource, obj, live, opts)
}

// scale changes the replicas of obj and their managers.
func (a *Applier) scale(f *managedfields.FieldManager, obj *unstructured.Unstructured, change func(*autoscalingv1.Scale) error, manager string) error {
	handler := managedfields.NewScaleHandler(obj.GetManagedFields(), a.version.GroupVersionKind().GroupVersion(), a.replicas)
	managers, err := handler.ToSubresource()
	if err != nil {
		return err
	}
	var owned []metav1.ManagedFieldsEntry
	err = a.scaler.Update(obj, func(current *autoscalingv1.Scale) error {
		current.ManagedFields = managers
		before := current.DeepCopy()
		if err := change(current); err != nil {
			return err
		}
		var tracked runtime.Object
		if tracked, err = f.Update(before, current, manager); err != nil {
			current.ManagedFields = before.ManagedFields
		} else {
			*current = *tracked.(*autoscalingv1.Scale)
		}
		owned = current.ManagedFields
		return nil
	})
	if err != nil {
		return err
	}
	entries, err := handler.ToParent(owned)
	if err != nil {
		return err
	}
	obj.SetManagedFields(entries)
	return nil
}
