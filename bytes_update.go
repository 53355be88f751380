package crdkit

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/onepass"
)

// updateBytes is the quick way of [Version.UpdateJSON]. It reports false if
// the request has to take the plain way.
//
// Nothing is forgiven here because it did not change: what would have to be is
// for the plain way.
func (r *request) updateBytes(ctx context.Context, raw, oldRaw []byte) ([]byte, *Result, bool, error) {
	plan := r.quick(ctx, raw, r.version.onepass)
	if plan == nil {
		return nil, nil, false, nil
	}
	t, old, ok := r.replacing(plan, oldRaw)
	defer r.forget()
	if !ok {
		return nil, nil, false, nil
	}
	request := onepass.Request{Report: r.fields != Ignore, Splice: r.splice, Metadata: r.inheriting(t, false)}
	if r.version.status {
		request.Status = old.Status
		t.hasStatus = request.Status != ""
	}
	if t.made, ok = plan.Bytes(string(raw), request); !ok {
		return nil, nil, false, nil
	}
	defer t.made.Release()
	same, ok := t.made.SameBut(old)
	if !ok {
		return nil, nil, false, nil
	}
	if !same {
		objectmeta.SetGeneration(t.obj, objectmeta.Generation(t.old)+1)
		metadata, _ := t.obj["metadata"].(map[string]any)
		if !t.made.Holds(metadata) {
			return nil, nil, false, nil
		}
		t.made.SetMetadata(metadata)
	}
	return r.judgeBytes(ctx, raw, t)
}

// statusBytes is the quick way of [Version.UpdateStatusJSON]. It reports false
// if the request has to take the plain way.
//
// The status is put into the old object, which has to be one that needs no
// change itself.
func (r *request) statusBytes(ctx context.Context, raw, oldRaw []byte) ([]byte, *Result, bool, error) {
	plan, onlyStatus := r.quick(ctx, raw, r.version.onepass), r.quick(ctx, raw, r.version.statusPlan)
	if plan == nil || onlyStatus == nil {
		return nil, nil, false, nil
	}
	t, _, ok := r.replacing(plan, oldRaw)
	defer r.forget()
	if !ok {
		return nil, nil, false, nil
	}
	brought, ok := onlyStatus.Bytes(string(raw), onepass.Request{Report: r.fields != Ignore, Metadata: r.inheriting(t, true)})
	if !ok {
		return nil, nil, false, nil
	}
	status := brought.Member("status")
	t.unknown = brought.Unknown(unknownField, `"`)
	brought.Release()
	t.made, ok = plan.Bytes(t.raw, onepass.Request{
		Status:   status,
		Metadata: func(map[string]any) (map[string]any, bool) { return t.obj["metadata"].(map[string]any), true },
	})
	if !ok {
		return nil, nil, false, nil
	}
	defer t.made.Release()
	if !t.made.Settled() {
		return nil, nil, false, nil
	}
	t.hasStatus, t.onlyStatus = status != "", true
	return r.judgeBytes(ctx, raw, t)
}

// replacing begins an update of the object of a text.
func (r *request) replacing(plan *onepass.Plan, oldRaw []byte) (*body, onepass.Old, bool) {
	t := r.newBody(plan)
	t.obj = r.version.typeMeta()
	t.raw = string(oldRaw)
	old, ok := plan.Old(t.raw)
	if !ok {
		return nil, onepass.Old{}, false
	}
	t.old = map[string]any{"apiVersion": t.obj["apiVersion"], "kind": t.obj["kind"], "metadata": old.Metadata}
	return t, old, true
}

// inheriting returns what does to metadata all that is done to that of an
// object that replaces another one, apart from counting generations. It reports
// false if there is anything to say about it.
func (r *request) inheriting(t *body, status bool) func(map[string]any) (map[string]any, bool) {
	return func(metadata map[string]any) (map[string]any, bool) {
		obj, old := t.obj, t.old
		obj["metadata"] = metadata
		meta, unknown, err := objectmeta.Decode(obj, objectmeta.Options{ReportUnknown: r.fields != Ignore})
		if err != nil || len(unknown) > 0 || meta.Restore(obj) != nil {
			return nil, false
		}
		r.obj, r.old = &unstructured.Unstructured{Object: obj}, &unstructured.Unstructured{Object: old}
		r.namespace = cmp.Or(r.namespace, r.old.GetNamespace())
		if r.enterNamespace() != nil || r.checkIdentity() != nil || len(objectmeta.PrepareUpdate(obj, old)) > 0 {
			return nil, false
		}
		if status {
			objectmeta.PrepareStatusUpdate(obj, old)
		}
		if r.obj.GetResourceVersion() == "" && t.plan.ChecksMetadata() {
			return nil, false // the schema would see the stand-in
		}
		defer r.standInVersion()()
		namespaced := r.version.def.namespaced
		if !objectmeta.ValidUpdate(obj, old) || len(objectmeta.ValidateCommonUpdate(obj, old, namespaced)) > 0 {
			return nil, false
		}
		metadata, ok := obj["metadata"].(map[string]any)
		return metadata, ok
	}
}
