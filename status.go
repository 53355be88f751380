package crdkit

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/validation"
)

// UpdateStatus is [Version.Update] for the status subresource. Call [Result.Err] for the
// verdict: it returns nil if the server admits obj. Everything but status comes from old.
// UpdateStatus returns an error if the version has no status subresource.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource.
func (v *Version) UpdateStatus(ctx context.Context, obj, old *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	if err := v.checkStatus(); err != nil {
		return nil, err
	}
	r, err := newMapRequest(ctx, v, obj, old, opts)
	if err != nil {
		return nil, err
	}
	return r.answer(r.updateStatus())
}

// UpdateStatusJSON is [Version.UpdateStatus] for the body of a request; see [Version.CreateJSON].
// old is always JSON, also with the option [YAML].
func (v *Version) UpdateStatusJSON(ctx context.Context, raw, old []byte, opts ...JSONOption) ([]byte, *Result, error) {
	if err := v.checkStatus(); err != nil {
		return nil, nil, err
	}
	r, err := newJSONRequest(ctx, v, raw, opts)
	if err != nil {
		return nil, nil, err
	}
	if plan := r.fastPath(); plan != nil {
		if out, ok := plan.UpdateStatus(raw, old, &r.fast); ok {
			return r.answerFast(out)
		}
	}
	refusal, err := r.decodeBoth(old)
	if refusal != nil || err != nil {
		return r.answerJSON(refusal, err)
	}
	return r.answerJSON(r.updateStatus())
}

func (r *request) updateStatus() (*Refusal, error) {
	if refusal, err := r.receiveUpdate(); refusal != nil || err != nil {
		return refusal, err
	}
	r.keepManaged(true)
	if err := r.runMutate(); err != nil {
		return nil, err
	}
	r.changeMetadata(func() {
		r.warn(r.meta.PrepareUpdate(r.oldMeta)...)
		r.meta.PrepareStatusUpdate(r.oldMeta)
	})
	r.restoreAllButStatus()

	r.meta.Write(r.obj.Object)
	r.setPlaceholderVersions()
	defer r.dropPlaceholder()
	r.checkType()
	r.validateMetadataUpdate()
	r.checkScale(false)
	r.addValidation(r.version.engines.validate().ValidateStatus(r.obj.Object, r.old.Object, validation.MaxErrors(r.mostErrors())))
	if err := r.evaluateRules(); err != nil {
		return nil, err
	}
	r.addProblems(r.meta.ValidateCommon(r.oldMeta, r.version.def.namespaced, r.newMetadataLimit()))
	return nil, nil
}

// restoreAllButStatus sets all fields but metadata and status to the values of the old object.
func (r *request) restoreAllButStatus() {
	for _, name := range sortedKeys(r.obj.Object, r.old.Object) {
		if name != "status" && name != "metadata" {
			before, found := r.old.Object[name]
			r.restore(name, before, found)
		}
	}
}

func (v *Version) checkStatus() error {
	if v.status {
		return nil
	}
	return fmt.Errorf("crdkit: %s %s has no status subresource", v.apiVersion(), v.def.kind)
}
