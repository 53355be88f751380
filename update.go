package crdkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/value/jsonval"
	"github.com/crdkit/crdkit/validation"
)

// Update is [Version.Create] for an object that replaces old. Call [Result.Err] for the
// verdict: it returns nil if the server admits obj. old is the stored object as
// [Version.Read] returns it at version v; Update returns an error if it has another version
// or kind. Update does not change old, and the result shares no memory with it.
//
// If old has no namespace, it gets the namespace of the request. The server refuses an update
// without metadata.resourceVersion. Update accepts it: an obj without resourceVersion counts as
// made from old. Update refuses an obj with another resourceVersion than old.
func (v *Version) Update(ctx context.Context, obj, old *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	r, err := newMapRequest(ctx, v, obj, old, opts)
	if err != nil {
		return nil, err
	}
	return r.answer(r.update())
}

// UpdateJSON is [Version.Update] for the body of a request; see [Version.CreateJSON]. old is always
// JSON, also with the option [YAML].
func (v *Version) UpdateJSON(ctx context.Context, raw, old []byte, opts ...JSONOption) ([]byte, *Result, error) {
	r, err := newJSONRequest(ctx, v, raw, opts)
	if err != nil {
		return nil, nil, err
	}
	if plan := r.fastPath(); plan != nil {
		if out, ok := plan.Update(raw, old, &r.fast); ok {
			return r.answerFast(out)
		}
	}
	refusal, err := r.decodeBoth(old)
	if refusal != nil || err != nil {
		return r.answerJSON(refusal, err)
	}
	return r.answerJSON(r.update())
}

func (r *request) update() (*Refusal, error) {
	if refusal, err := r.receiveUpdate(); refusal != nil || err != nil {
		return refusal, err
	}
	r.keepManaged(false)
	if err := r.runMutate(); err != nil {
		return nil, err
	}
	r.changeMetadata(func() { r.warn(r.meta.PrepareUpdate(r.oldMeta)...) })
	if r.version.status {
		status, found := r.old.Object["status"]
		r.restore("status", status, found)
	}
	changed, err := r.specChanged()
	if err != nil {
		return nil, err
	}
	if changed {
		r.meta.Generation++
	}

	r.meta.Write(r.obj.Object)
	r.setPlaceholderVersions()
	defer r.dropPlaceholder()
	r.checkType()
	r.validateMetadataUpdate()
	r.checkScale(true)
	r.addValidation(r.version.engines.validate().ValidateUpdate(r.obj.Object, r.old.Object, validation.MaxErrors(r.mostErrors())))
	if err := r.evaluateRules(); err != nil {
		return nil, err
	}
	r.addProblems(r.meta.ValidateCommon(r.oldMeta, r.version.def.namespaced, r.newMetadataLimit()))
	r.warnOfFinalizers()
	return nil, nil
}

// receiveUpdate does the steps of an update up to the reset of the fields that clients cannot set.
func (r *request) receiveUpdate() (*Refusal, error) {
	if err := r.checkOld(); err != nil {
		return nil, err
	}
	if refusal, err := r.receive(); refusal != nil || err != nil {
		return refusal, err
	}
	r.oldMeta.ReadMap(r.old.Object)
	defer r.meta.Write(r.obj.Object) // also if the object is refused
	if refusal := r.enterNamespaces(); refusal != nil {
		return refusal, nil
	}
	if refusal := r.checkName(); refusal != nil {
		return refusal, nil
	}
	r.dropDuplicateOwners()
	return r.checkState(), nil
}

// checkOld returns an error for an old object that cannot come from [Version.Read].
func (r *request) checkOld() error {
	if r.old == nil || r.old.Object == nil {
		return errors.New("crdkit: the old object is nil")
	}
	if got, want := r.old.GetAPIVersion(), r.version.apiVersion(); got != want {
		return fmt.Errorf("crdkit: the old object is at version %q, want %q, as Version.Read returns it", got, want)
	}
	return nil
}

// enterNamespaces puts both objects into the namespace of the request. By default this is the
// namespace of the old object, else of the new object, else "default". The old object gets a
// namespace only if it has none.
func (r *request) enterNamespaces() *Refusal {
	if refusal := r.enterNamespace(cmp.Or(r.namespace, r.oldMeta.Namespace)); refusal != nil {
		return refusal
	}
	if r.version.def.namespaced && r.oldMeta.Namespace == "" {
		r.setOld("namespace", r.meta.Namespace)
	}
	return nil
}

// setOld sets a metadata field of the old object. It first copies the object and its metadata,
// because they belong to the caller.
func (r *request) setOld(name, value string) {
	metadata, _ := r.old.Object["metadata"].(map[string]any)
	if metadata == nil {
		return
	}
	metadata = maps.Clone(metadata)
	metadata[name] = value
	r.old = &unstructured.Unstructured{Object: maps.Clone(r.old.Object)}
	r.old.Object["metadata"] = metadata
	r.oldMeta.ReadMap(r.old.Object)
}

func (r *request) checkName() *Refusal {
	switch name, got := r.oldMeta.Name, r.meta.Name; {
	case got == name:
		return nil
	case got == "":
		return badRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
	default:
		return badRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", got, name))
	}
}

// checkState refuses an object with another uid or resourceVersion than the old object.
func (r *request) checkState() *Refusal {
	want, got := r.oldMeta.ResourceVersion, r.meta.ResourceVersion
	if r.origin != fromClient {
		if refusal := r.checkVersions(want, got); refusal != nil {
			return refusal
		}
		return r.checkTyped()
	}
	if refusal := r.checkUID(); refusal != nil {
		return refusal
	}
	if got == "" && want != "" {
		r.meta.ResourceVersion = want
		return nil
	}
	return r.checkVersions(want, got)
}

// keepManaged sets the managed fields with which the server starts an update, unless the object
// comes from a server-side apply.
func (r *request) keepManaged(status bool) {
	if r.origin != fromMerge {
		r.changeMetadata(func() { r.meta.KeepManaged(r.oldMeta, status) })
	}
}

// specChanged reports whether anything but metadata differs from the old object. It returns an
// error if an object is nested too deeply to compare.
func (r *request) specChanged() (bool, error) {
	obj, old := r.obj.Object, r.old.Object
	for _, name := range sortedKeys(obj, old) {
		if name == "metadata" {
			continue
		}
		now, ok := obj[name]
		before, found := old[name]
		if ok != found {
			return true, nil
		}
		if same, err := jsonval.EqualWithin(now, before); !same || err != nil {
			return true, err
		}
	}
	return false, nil
}

// setPlaceholderVersions gives both objects the same resourceVersion while they are validated,
// because stored objects have one and rules must see no difference.
func (r *request) setPlaceholderVersions() {
	const placeholder = "1"
	if _, ok := r.obj.Object["metadata"].(map[string]any); !ok || r.meta.ResourceVersion != "" {
		return
	}
	r.meta.ResourceVersion, r.placeholder = placeholder, "resourceVersion"
	r.meta.Write(r.obj.Object)
	if r.oldMeta.ResourceVersion == "" {
		r.setOld("resourceVersion", placeholder)
	}
}

func (r *request) validateMetadataUpdate() {
	if !r.otherType {
		r.addProblems(r.meta.Validate(r.oldMeta, r.version.def.namespaced, r.newMetadataLimit()))
	}
}
