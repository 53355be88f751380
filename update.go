package crdkit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/validation"
)

func (r *request) update(ctx context.Context) (*Refusal, error) {
	refusal, err := r.receiveUpdate(ctx, true)
	if refusal != nil || err != nil {
		return refusal, err
	}
	r.watchMetadata(func() {
		r.warn(objectmeta.PrepareUpdate(r.obj.Object, r.old.Object)...)
	})
	if r.version.status {
		r.keepStatus()
	}
	if specChanged(r.obj.Object, r.old.Object) {
		objectmeta.SetGeneration(r.obj.Object, objectmeta.Generation(r.old.Object)+1)
	}
	defer r.standInVersions()()
	return nil, r.validateUpdate(ctx)
}

func (r *request) updateStatus(ctx context.Context) (*Refusal, error) {
	refusal, err := r.receiveUpdate(ctx, false)
	if refusal != nil || err != nil {
		return refusal, err
	}
	r.watchMetadata(func() {
		r.warn(objectmeta.PrepareUpdate(r.obj.Object, r.old.Object)...)
		objectmeta.PrepareStatusUpdate(r.obj.Object, r.old.Object)
	})
	r.takeOld()
	defer r.standInVersions()()
	return nil, r.validateStatus(ctx)
}

// standInVersion gives an object without resourceVersion, of which the old one
// has none either, one for the time of validation, and returns what takes it
// away again. A server has a store, where every object has one.
func (r *request) standInVersion() (undo func()) {
	if r.obj.GetResourceVersion() != "" {
		return func() {}
	}
	metadata, ok := r.obj.Object["metadata"].(map[string]any)
	if !ok {
		return func() {}
	}
	metadata["resourceVersion"] = "1"
	return func() { delete(metadata, "resourceVersion") }
}

// standInVersions is standInVersion for both objects, so that rules that compare
// them as a whole see no difference. The old one is left as it is.
func (r *request) standInVersions() (undo func()) {
	old := r.old
	metadata, ok := old.Object["metadata"].(map[string]any)
	if !ok || old.GetResourceVersion() != "" || r.obj.GetResourceVersion() != "" {
		return r.standInVersion()
	}
	metadata = maps.Clone(metadata)
	metadata["resourceVersion"] = "1"
	r.old = &unstructured.Unstructured{Object: maps.Clone(old.Object)}
	r.old.Object["metadata"] = metadata
	forget := r.standInVersion()
	return func() {
		forget()
		r.old = old
	}
}

// receiveUpdate is what the two kinds of update begin with.
func (r *request) receiveUpdate(ctx context.Context, fuse bool) (*Refusal, error) {
	if r.old == nil || r.old.Object == nil {
		return nil, errors.New("crdkit: the old object is nil")
	}
	if refusal := r.receive(r.strict, fuse); refusal != nil {
		return refusal, nil
	}
	if r.namespace == "" {
		r.namespace = r.old.GetNamespace()
	}
	if refusal := r.enterNamespace(); refusal != nil {
		return refusal, nil
	}
	if refusal := r.checkIdentity(); refusal != nil {
		return refusal, nil
	}
	if err := r.runMutate(ctx); err != nil {
		return nil, err
	}
	return nil, nil
}

// checkIdentity refuses an update of another object, or of another state of
// the object than the one there is.
func (r *request) checkIdentity() *Refusal {
	switch name, got := r.old.GetName(), r.obj.GetName(); {
	case got == name:
	case got == "":
		return badRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
	default:
		return badRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", got, name))
	}
	want := r.old.GetResourceVersion()
	switch got := r.obj.GetResourceVersion(); {
	case got == want:
	case got == "":
		r.obj.SetResourceVersion(want)
	case want != "":
		// The handler looks at owners before the store looks at versions.
		r.warn(objectmeta.DropDuplicateOwners(r.obj.Object)...)
		return &Refusal{
			Code:     http.StatusConflict,
			Reason:   "Conflict",
			resource: r.version.def.plural,
			Message: fmt.Sprintf("Operation cannot be fulfilled on %s.%s %q: the object has been modified; please apply your changes to the latest version and try again",
				r.version.def.plural, r.version.def.group, r.obj.GetName()),
		}
	}
	return nil
}

// keepStatus undoes what the client says of the status.
func (r *request) keepStatus() {
	status, ok := r.old.Object["status"]
	if !ok {
		r.remove("status")
		return
	}
	if !jsonval.Equal(r.obj.Object["status"], status) {
		r.reset("status")
	}
	r.obj.Object["status"] = jsonval.Clone(status)
}

// takeOld makes everything but status and metadata what it was.
func (r *request) takeOld() {
	obj, old := r.obj.Object, r.old.Object
	for _, name := range sortedKeys(obj, old) {
		if name == "status" || name == "metadata" {
			continue
		}
		before, ok := old[name]
		if !ok {
			r.remove(name)
			continue
		}
		if !jsonval.Equal(obj[name], before) {
			r.reset(name)
		}
		obj[name] = jsonval.Clone(before)
	}
}

func (r *request) validateUpdate(ctx context.Context) error {
	v, obj, old := r.version, r.obj.Object, r.old.Object
	if r.checkType() {
		r.addProblems(objectmeta.ValidateUpdate(obj, old, v.def.namespaced))
		r.add(v.scale.checkSpec(obj))
		r.add(v.scale.checkStatus(obj))
	}
	if !r.settled() {
		r.addResult(v.engines.validate().ValidateUpdate(obj, old))
	}
	if err := r.evaluate(ctx, old); err != nil {
		return err
	}
	r.addProblems(objectmeta.ValidateCommonUpdate(obj, old, v.def.namespaced))
	r.warn(r.finalizerWarnings(old)...)
	return nil
}

func (r *request) validateStatus(ctx context.Context) error {
	v, obj, old := r.version, r.obj.Object, r.old.Object
	if r.checkType() {
		r.addProblems(objectmeta.ValidateUpdate(obj, old, v.def.namespaced))
		r.add(v.scale.checkStatus(obj))
	}
	r.addResult(v.engines.validate().ValidateStatus(obj, old))
	if err := r.evaluate(ctx, old); err != nil {
		return err
	}
	r.addProblems(objectmeta.ValidateCommonUpdate(obj, old, v.def.namespaced))
	return nil
}

func (r *request) addResult(res validation.Result) {
	r.addValidation(res.Errors)
	r.result.Ratcheted = append(r.result.Ratcheted, res.Ratcheted...)
}

// Read returns a stored object as the server serves it at version v. The
// object may be stored at any version of the definition: it is decoded with
// the schema of that version, malformed metadata is dropped, defaults are set,
// and what conversion makes of it is pruned with the schema of v. No defaults of
// v are set.
//
// stored is not changed, and the result shares no memory with it. The result
// holds no verdict; its warnings and changes are those of the request. The
// error says why the server could not serve the object.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting.
func (v *Version) Read(ctx context.Context, stored *unstructured.Unstructured, opts ...RequestOption) (*unstructured.Unstructured, *Result, error) {
	if stored == nil || stored.Object == nil {
		return nil, nil, errors.New("crdkit: the object is nil")
	}
	r := v.newRequest(opts)
	if r.wrong != nil {
		return nil, nil, r.wrong
	}
	r.obj = clone(stored)
	gvk := r.obj.GroupVersionKind()
	from := v.def.byName[gvk.Version]
	if gvk.Group != v.def.group || from == nil {
		return nil, nil, fmt.Errorf("request to convert CR from an invalid group/version: %s", gvk.GroupVersion())
	}
	if gvk.Kind != v.def.kind {
		return nil, nil, fmt.Errorf("crdkit: the stored object is a %s, want a %s", gvk.Kind, v.def.kind)
	}
	if _, refusal := r.coerce(r.obj.Object, coercion{stored: true}); refusal != nil {
		return nil, nil, errors.New(refusal.Message)
	}
	r.setDefaults()
	out, err := r.convert(orBackground(ctx), v)
	if err != nil {
		return nil, nil, err
	}
	return out, r.result, nil
}

// Store returns obj as the server writes it to storage: converted from v to the
// storage version and pruned with that version's schema, if the two differ.
// No defaults are set. obj must have been admitted at v; it is not changed, and
// the result shares no memory with it.
func (v *Version) Store(ctx context.Context, obj *unstructured.Unstructured, opts ...RequestOption) (*unstructured.Unstructured, error) {
	if obj == nil || obj.Object == nil {
		return nil, errors.New("crdkit: the object is nil")
	}
	to := v.def.storage
	r := to.newRequest(opts)
	r.obj = clone(obj)
	if to == v {
		return r.obj, nil
	}
	return r.convert(orBackground(ctx), to)
}

// convert turns r.obj into an object of version to, as the codec of the store
// does: what conversion made is coerced even if nothing was converted.
func (r *request) convert(ctx context.Context, to *Version) (*unstructured.Unstructured, error) {
	out, err := r.version.def.convertOne(ctx, r.obj, to)
	if err != nil {
		return nil, err
	}
	r.obj = out
	if _, refusal := r.coerce(out.Object, coercion{}); refusal != nil {
		return nil, errors.New(refusal.Message)
	}
	return out, nil
}
