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

// Update is [Version.Create] for an object that replaces old: the server admits it if
// [Result.Err] returns nil. old must be as [Version.Read] returns it at version v; an
// object of another version or kind is an error. It is not changed and shares no memory
// with the result.
//
// An old object without a namespace is taken to be in that of the request. The server
// refuses an update without metadata.resourceVersion. There is no store here: if neither
// object has one, Update does not ask for it, and if only old has, the new object is
// taken to be made from it.
func (v *Version) Update(ctx context.Context, obj, old *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	r, err := newMapRequest(ctx, v, obj, old, opts)
	if err != nil {
		return nil, err
	}
	return r.answer(r.update())
}

// UpdateJSON is [Version.Update] for the body of a request. It returns no bytes for an
// object that the server refuses; see [Version.CreateJSON]. old is JSON in any case.
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

// update takes the object through the steps of a PUT.
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
	r.standInVersions()
	defer r.dropStandIn()
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

// receiveUpdate does what updates do before they set the fields that clients cannot set.
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

// checkOld returns an error for an old object that [Version.Read] does not return.
func (r *request) checkOld() error {
	if r.old == nil || r.old.Object == nil {
		return errors.New("crdkit: the old object is nil")
	}
	if got, want := r.old.GetAPIVersion(), r.version.apiVersion(); got != want {
		return fmt.Errorf("crdkit: the old object is at version %q, want %q, as Version.Read returns it", got, want)
	}
	return nil
}

// enterNamespaces puts both objects into the request's namespace: by default the old
// object's, else the new one's, else "default". Only an old object without one changes.
func (r *request) enterNamespaces() *Refusal {
	if refusal := r.enterNamespace(cmp.Or(r.namespace, r.oldMeta.Namespace)); refusal != nil {
		return refusal
	}
	if r.version.def.namespaced && r.oldMeta.Namespace == "" {
		r.setOld("namespace", r.meta.Namespace)
	}
	return nil
}

// setOld sets a metadata field of the old object, which becomes a copy as far as its
// metadata.
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

// checkName refuses an update of another object.
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

// checkState refuses an update of another object, or of another state of it.
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

// keepManaged gives the object the managers from which the server goes on, unless by apply.
func (r *request) keepManaged(status bool) {
	if r.origin != fromMerge {
		r.changeMetadata(func() { r.meta.KeepManaged(r.oldMeta, status) })
	}
}

// specChanged reports whether more than metadata differs, or an error for deep nesting.
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

// standInVersions gives both objects one resourceVersion while they are validated: stored
// ones have one, and rules see no difference.
func (r *request) standInVersions() {
	const standIn = "1"
	if _, ok := r.obj.Object["metadata"].(map[string]any); !ok || r.meta.ResourceVersion != "" {
		return
	}
	r.meta.ResourceVersion, r.standIn = standIn, "resourceVersion"
	r.meta.Write(r.obj.Object)
	if r.oldMeta.ResourceVersion == "" {
		r.setOld("resourceVersion", standIn)
	}
}

func (r *request) validateMetadataUpdate() {
	if !r.otherType {
		r.addProblems(r.meta.Validate(r.oldMeta, r.version.def.namespaced, r.newMetadataLimit()))
	}
}
