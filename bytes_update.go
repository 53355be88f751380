package crdkit

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// updateBytes is the quick way of [Version.UpdateJSON]. It reports false if
// the request has to take the plain way.
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
	now := string(raw)
	request := fastpath.Request{Report: r.fields != Ignore, Splice: r.splice && !r.report, Metadata: r.inheriting(t, false)}
	if r.version.status {
		request.Status = old.Status
		t.hasStatus = request.Status != ""
	}
	if !r.walk(t, now, request) {
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
	if r.report && !r.reportStatus(t, now, old) {
		return nil, nil, false, nil
	}
	return r.judgeBytes(ctx, raw, t)
}

// walk makes the object of an update, at first without looking at what the old
// object had.
func (r *request) walk(t *body, now string, request fastpath.Request) (ok bool) {
	if t.made, ok = t.plan.Bytes(now, request); ok {
		return true
	}
	r.result.Changes = nil
	f := r.ratchet(now, t.raw, 0)
	f.keptStatus = request.Status != ""
	request.Forgive = &f.Forgiving
	if t.made, ok = t.plan.Bytes(now, request); !ok {
		return false
	}
	if t.ratcheted, ok = f.excused(r.version.engines.validate().ValidateAt); !ok {
		t.made.Release()
	}
	return ok
}

// reportStatus records what becomes of the status that a client sends. It
// reports false if more is changed than that and metadata, which is for the
// plain way to report.
func (r *request) reportStatus(t *body, now string, old fastpath.Old) bool {
	if !t.made.Settled() {
		return false
	}
	if !r.version.status {
		return true
	}
	sent, ok := jsonscan.Lookup(now, "status")
	switch {
	case !ok || !t.plan.KeepsStatus(sent):
		return false
	case sent == "" && old.Status == "":
	case sent == "" || old.Status == "" || !t.plan.SameValue(sent, old.Status):
		r.reset("status")
	}
	return true
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
	t, old, ok := r.replacing(plan, oldRaw)
	defer r.forget()
	if !ok {
		return nil, nil, false, nil
	}
	status, ok := r.bringStatus(t, onlyStatus, string(raw), old)
	if !ok {
		return nil, nil, false, nil
	}
	request := fastpath.Request{
		Status:   status,
		Metadata: func(map[string]any) (map[string]any, bool) { return t.obj["metadata"].(map[string]any), true },
	}
	if t.made, ok = plan.Bytes(t.raw, request); !ok {
		request.Forgive = r.stored()
		if t.made, ok = plan.Bytes(t.raw, request); !ok {
			return nil, nil, false, nil
		}
	}
	defer t.made.Release()
	if !t.made.Settled() {
		return nil, nil, false, nil
	}
	t.hasStatus, t.onlyStatus = status != "", true
	return r.judgeBytes(ctx, raw, t)
}

// bringStatus returns the text of the status that a client sends, and judges it.
func (r *request) bringStatus(t *body, plan *fastpath.Plan, now string, old fastpath.Old) (status string, ok bool) {
	request := fastpath.Request{Report: r.fields != Ignore, Metadata: r.inheriting(t, true)}
	brought, ok := plan.Bytes(now, request)
	if !ok {
		r.result.Changes = nil
		f := r.ratchet(now, t.raw, 1)
		request.Forgive = &f.Forgiving
		if brought, ok = plan.Bytes(now, request); !ok {
			return "", false
		}
		t.ratcheted, ok = f.excused(r.version.engines.validate().ValidateStatusAt)
	}
	defer brought.Release()
	if r.report && ok {
		var sent fastpath.Old
		sent, ok = plan.Old(now)
		ok = ok && brought.Settled() && plan.SameOutside(old, sent)
	}
	status = brought.Member("status")
	t.unknown = brought.Unknown(unknownField, `"`)
	return status, ok
}

// stored returns what forgives everything: what an update of the status takes
// over from the old object is not judged, and the status was judged before.
func (r *request) stored() *fastpath.Forgiving {
	return &fastpath.Forgiving{
		Typed:    r.version.rules != nil,
		Consider: func(fastpath.Place) bool { return true },
		Judge:    func(any) bool { return true },
	}
}

// replacing begins an update of the object of a text.
func (r *request) replacing(plan *fastpath.Plan, oldRaw []byte) (*body, fastpath.Old, bool) {
	t := r.newBody(plan)
	t.obj = r.version.typeMeta()
	t.raw = string(oldRaw)
	old, ok := plan.Old(t.raw)
	if !ok {
		return nil, fastpath.Old{}, false
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
		r.obj, r.old = &unstructured.Unstructured{Object: obj}, &unstructured.Unstructured{Object: old}
		meta, unknown, err := objectmeta.Decode(obj, objectmeta.Options{ReportUnknown: r.fields != Ignore || r.report})
		if err != nil || len(unknown) > 0 || r.restore(&meta, obj) != nil {
			return nil, false
		}
		r.namespace = cmp.Or(r.namespace, r.old.GetNamespace())
		if r.enterNamespace() != nil || r.checkIdentity() != nil {
			return nil, false
		}
		var warnings []string
		r.watchMetadata(func() {
			warnings = objectmeta.PrepareUpdate(obj, old)
			if status {
				objectmeta.PrepareStatusUpdate(obj, old)
			}
		})
		if len(warnings) > 0 {
			return nil, false
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
