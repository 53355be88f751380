package crdkit

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// UpdateStatus is [Version.Update] for the status subresource. Check the verdict with
// [Result.Err]. All but status comes from old. It is an error if the version has no
// status subresource.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#status-subresource.
func (v *Version) UpdateStatus(ctx context.Context, obj, old *unstructured.Unstructured, opts ...RequestOption) (*Result, error) {
	if err := v.checkStatus(); err != nil {
		return nil, err
	}
	return v.doMap(ctx, updatingStatus, obj, old, opts)
}

// prepareStatus is prepareUpdate for an update of the status.
func (r *request) prepareStatus() {
	r.watchMetadata(func() {
		r.warn(objectmeta.PrepareUpdate(r.obj.Object, r.old.Object)...)
		objectmeta.PrepareStatusUpdate(r.obj.Object, r.old.Object)
	})
}

// restoreRest makes all but metadata and status what the old object has.
func (r *request) restoreRest() error { return r.carrier.restoreRest() }

// checkStatus returns an error if the version has no status subresource.
func (v *Version) checkStatus() error {
	if v.status {
		return nil
	}
	return fmt.Errorf("crdkit: %s %s has no status subresource", v.apiVersion(), v.def.kind)
}
