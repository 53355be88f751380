package crdkit

import (
	"cmp"
	"context"
	"maps"
	"math"
	"strings"
	"unsafe"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/validation"
)

// Most bodies are JSON, most objects are ordinary, and nearly all are right.
// For those there is a way from bytes to bytes that makes no maps in between.
// Whenever it is not sure it says so, nothing has happened yet, and the request
// takes the plain way from the start.

// quick returns the plan of the version if the request may take the way from
// bytes to bytes, else nil.
func (r *request) quick(ctx context.Context, raw []byte, plan func() *fastpath.Plan) *fastpath.Plan {
	v := r.version
	if r.wrong != nil || r.yaml || r.mutate != nil || len(raw) > MaxRequestBytes || v.def.plain || v.def.preserve || ctx.Err() != nil {
		return nil
	}
	return plan()
}

// A body is an object on its way from bytes to bytes.
type body struct {
	plan *fastpath.Plan
	made fastpath.Made
	// obj is the object as far as anybody looks at it. It is nil as long as its
	// metadata is plain and there are no rules: then nobody does.
	obj map[string]any
	// known is what obj was before rules looked at it.
	known map[string]any
	// old is the object that is replaced, as far as anybody looks at it, and raw
	// is its text. It is nil if the object is new.
	old     map[string]any
	raw     string
	now     unstructured.Unstructured
	unknown []string         // complaints besides those that the plan finds
	values  *fastpath.Values // nil if no rules look at the object
	// hasStatus: the object may have a status.
	hasStatus bool
	ratcheted validation.ErrorList // what is wrong with values that did not change
	// onlyStatus: nothing but the status counts.
	onlyStatus bool
}

func (r *request) newBody(plan *fastpath.Plan) *body {
	r.body = body{plan: plan, hasStatus: !r.version.status}
	return &r.body
}

// typeMeta returns what all objects of the version have.
func (v *Version) typeMeta() map[string]any {
	return map[string]any{"apiVersion": v.apiVersion(), "kind": v.def.kind}
}

// view returns raw as a string without a copy. Nothing that outlives the call may
// hold on to it or to a part of it, as raw is the caller's to change then.
func view(raw []byte) string { return unsafe.String(unsafe.SliceData(raw), len(raw)) }

// createBytes is the quick way of [Version.CreateJSON]. It reports false if
// the request has to take the plain way.
func (r *request) createBytes(ctx context.Context, raw []byte) ([]byte, *Result, bool, error) {
	plan := r.quick(ctx, raw, r.version.onepass)
	if plan == nil || r.report {
		return nil, nil, false, nil
	}
	t := r.newBody(plan)
	defer r.forget()
	var ok bool
	t.made, ok = plan.Bytes(view(raw), fastpath.Request{
		Report: r.fields != Ignore,
		Splice: r.splice,
		Create: true, Namespaced: r.version.def.namespaced, Namespace: r.namespace,
		Metadata: r.fresh,
	})
	if !ok {
		return nil, nil, false, nil
	}
	defer t.made.Release()
	return r.judgeBytes(ctx, raw, t)
}

// forget lets go of what a result need not hold on to.
func (r *request) forget() { r.body, r.obj = body{}, nil }

// judgeBytes decides on what the plan has made, which depends on the rules, as
// only they can still refuse the object. It reports false if the request has to
// take the plain way.
func (r *request) judgeBytes(ctx context.Context, raw []byte, t *body) ([]byte, *Result, bool, error) {
	complaints := t.made.Unknown(unknownField, `"`)
	if len(t.unknown) > 0 {
		complaints = append(t.unknown, complaints...)
	}
	if len(complaints) > 0 && r.fields == Strict {
		return nil, nil, false, nil
	}
	if scale := r.version.scale; r.version.rules != nil || !scale.settled(t) {
		written := t.written()
		if !r.look(t, written) || !scale.admits(written, t) {
			return nil, nil, false, nil
		}
	}
	r.complaints = complaints
	warnings := len(r.result.Warnings)
	r.result.Ratcheted = t.ratcheted
	// There is nothing to refuse, as there is only a warning for each field.
	_ = r.judgeFields(nil, nil)
	t.now.Object = t.obj
	r.obj = &t.now
	if err := r.evaluate(ctx, t.old); err != nil {
		return nil, nil, true, err
	}
	if len(r.result.Errors) > 0 && t.old == nil {
		// The rules have seen only what they needed to be kept.
		if !t.show() {
			r.result.Errors, r.result.Cost = nil, 0
			r.result.Warnings = r.result.Warnings[:warnings]
			return nil, nil, false, nil
		}
		r.result.Errors = nil
		if err := r.evaluate(ctx, nil); err != nil {
			return nil, nil, true, err
		}
	}
	name, plain := t.made.Plain()
	if !t.onlyStatus && !plain {
		r.warn(r.finalizerWarnings(t.old)...)
	}
	if r.unnamed {
		unstructured.RemoveNestedField(t.obj, "metadata", "name")
		metadata, _ := t.obj["metadata"].(map[string]any)
		t.made.SetMetadata(metadata)
	}
	res := r.finish(nil)
	if plain {
		res.name = "" // which nobody asks for if there are no errors
	}
	if plain && len(res.Errors) > 0 {
		res.name = strings.Clone(name) // of the text
	}
	if t.values != nil && len(res.Errors) == 0 && len(res.Ratcheted) == len(t.ratcheted) {
		r.obj = nil // nothing refers to the values any more
		t.values.Release()
	}
	if !res.Admitted() || r.verdict {
		return nil, res, true, nil
	}
	if !r.appends && t.made.Untouched() {
		return raw, res, true, nil
	}
	return t.made.Append(r.buffer), res, true, nil
}

// written returns the text of the object that was made. That of a new object is
// good until the object is released.
func (t *body) written() string {
	if t.old == nil {
		return t.made.Peek()
	}
	return t.made.Text()
}

// show puts all of a new object in the place of what rules look at. It reports
// false if the object cannot be read.
func (t *body) show() bool {
	whole, ok := jsonscan.Decode(t.made.Text())
	obj, isObject := whole.(map[string]any)
	if !ok || !isObject {
		return false
	}
	maps.Copy(obj, t.known)
	t.obj, t.now.Object = obj, obj
	t.values.Release()
	t.values = nil
	return true
}

// look makes of the objects what rules can look at. It reports false if the
// request has to take the plain way.
func (r *request) look(t *body, written string) bool {
	if r.version.rules == nil {
		return true
	}
	t.values = t.plan.Values()
	seen, ok := t.values.RuleInput(written, t.old != nil)
	if !ok {
		return false
	}
	maps.Copy(seen, t.obj)
	t.known = t.obj
	t.obj = seen // of plain metadata the text says all that rules look at
	if t.old == nil {
		return true
	}
	before, ok := t.values.RuleInput(t.raw, true)
	if !ok {
		return false
	}
	maps.Copy(before, t.old)
	t.old = before
	return true
}

// freshMetadata is ordinaryMetadata of the object that is on its way.
func (r *request) freshMetadata(metadata map[string]any) (map[string]any, bool) {
	t := &r.body
	t.obj = r.version.typeMeta()
	t.obj["metadata"] = metadata
	return r.ordinaryMetadata(t.obj)
}

// ordinaryMetadata does to the metadata of obj all that is done to that of a
// new object. It reports false if there is anything to say about it.
func (r *request) ordinaryMetadata(obj map[string]any) (map[string]any, bool) {
	meta, unknown, err := objectmeta.Decode(obj, objectmeta.Options{ReportUnknown: r.fields != Ignore})
	if err != nil || len(unknown) > 0 || meta.Restore(obj) != nil || len(objectmeta.PrepareCreate(obj)) > 0 {
		return nil, false
	}
	namespaced, want := r.version.def.namespaced, ""
	metadata, _ := obj["metadata"].(map[string]any)
	if namespaced {
		own, _ := metadata["namespace"].(string)
		want = cmp.Or(r.namespace, own, "default")
	}
	if objectmeta.MatchNamespace(obj, want) != nil {
		return nil, false
	}
	metadata, _ = obj["metadata"].(map[string]any)
	r.unnamed = metadata["name"] == nil
	r.obj = &unstructured.Unstructured{Object: obj}
	_ = r.generateName() // which judgeBytes takes away again
	if !objectmeta.ValidCreate(obj, namespaced) || len(objectmeta.ValidateCommonCreate(obj, namespaced)) > 0 {
		return nil, false
	}
	return metadata, true
}

// settled reports whether the scale of an object is plainly right because the
// plan has seen to it.
func (s *scale) settled(t *body) bool {
	return s == nil || !t.hasStatus && t.plan.ChecksReplicas() && (s.selector == nil || s.selector.gone(true))
}

// admits reports whether the scale of an object, in JSON, is plainly right.
func (s *scale) admits(text string, t *body) bool {
	if s.settled(t) {
		return true
	}
	dropped := !t.hasStatus
	if !t.plan.ChecksReplicas() && !s.spec.admits(text, dropped) || !s.status.admits(text, dropped) {
		return false
	}
	if s.selector == nil || s.selector.gone(dropped) {
		return true
	}
	selector, ok := jsonscan.Lookup(text, s.selector.Steps...)
	return ok && (selector == "" || selector[0] == '"')
}

// gone reports whether the path leads into a status that the object does not
// have.
func (p scalePath) gone(dropped bool) bool { return dropped && p.Steps[0] == "status" }

func (p scalePath) admits(text string, dropped bool) bool {
	if p.gone(dropped) {
		return true
	}
	replicas, ok := jsonscan.Lookup(text, p.Steps...)
	if !ok || replicas == "" {
		return ok
	}
	end, n := jsonscan.Number(replicas, 0)
	return end == len(replicas) && !n.IsFloat && n.Int >= 0 && n.Int <= math.MaxInt32
}
