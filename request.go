package crdkit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/internal/failure/errorlimit"
	"github.com/crdkit/crdkit/internal/fastpath"
	"github.com/crdkit/crdkit/internal/interrupt"
	"github.com/crdkit/crdkit/internal/metadata/objectmeta"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// A request takes an object through the server's steps, on maps. create.go, update.go, status.go
// and read.go have the steps of each verb in order. Requests on JSON first try the fast path, which
// handles a request or declines it.
type request struct {
	version *Version
	requestOptions
	ctx   context.Context
	watch *interrupt.Watch // watches ctx; nil if ctx cannot end

	encoded bool   // the request is on JSON
	raw     []byte // the body of a request on JSON
	fast    fastpath.Request

	obj, old *unstructured.Unstructured
	// meta is the decoded metadata of obj. It is written back before other code reads obj.
	meta, oldMeta *objectmeta.Meta
	complaints    []string // about unknown and duplicate fields
	otherType     bool     // apiVersion or kind is wrong
	// sentKind is the object's kind for the texts of errors.
	sentKind runtimeschema.GroupKind
	// rulesBlocked is true if an error that is not in the result keeps rules from running.
	rulesBlocked  bool
	metadataLimit errorlimit.Limit // limits the errors of the last metadata check
	// placeholder is the metadata field that is set during validation only, "" for none.
	placeholder string

	result *Result
}

// newRequest returns a request without an object. It returns an error if an option is
// invalid, or if the version does not compile.
func newRequest[O JSONOption](ctx context.Context, v *Version, opts []O) (*request, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	r := &request{version: v, ctx: ctx, result: &Result{}}
	r.fields = Warn
	for _, opt := range opts {
		r.apply(opt)
	}
	if err := r.check(v); err != nil {
		return nil, err
	}
	if err := v.ready(); err != nil {
		return nil, err
	}
	return r, ctx.Err()
}

// newMapRequest returns a request on maps. old is nil for a create.
func newMapRequest(ctx context.Context, v *Version, obj, old *unstructured.Unstructured, opts []RequestOption) (*request, error) {
	r, err := newRequest(ctx, v, opts)
	if err != nil {
		return nil, err
	}
	if r.origin == fromPatch {
		return nil, errNotPatched
	}
	if obj == nil || obj.Object == nil {
		return nil, errNil
	}
	r.obj, r.old = obj, old
	return r, r.begin()
}

func (r *request) begin() error {
	r.watch = interrupt.New(r.ctx)
	if r.version.warning != "" {
		r.warn(r.version.warning)
	}
	return r.readyForObject()
}

// newJSONRequest returns a request on the body raw, which is not decoded yet.
func newJSONRequest(ctx context.Context, v *Version, raw []byte, opts []JSONOption) (*request, error) {
	r, err := newRequest(ctx, v, opts)
	if err != nil {
		return nil, err
	}
	if r.origin == fromMerge {
		return nil, errors.New("crdkit: the JSON forms do not take the result of an apply")
	}
	r.encoded, r.raw = true, raw
	return r, nil
}

var errNil = errors.New("crdkit: the object is nil")

var errNotPatched = errors.New("crdkit: only UpdateJSON and UpdateStatusJSON take the result of a patch")

// fastPath returns the plan of the fast path, or nil if it does not handle the definition or
// the options.
func (r *request) fastPath() *fastpath.Plan {
	d := r.version.def
	if d.reference || d.preserve || r.mutate != nil || r.yaml || r.report || r.memory != 0 || len(r.patchComplaints) > 0 || len(r.raw) > MaxRequestBytes && r.origin == fromClient {
		return nil
	}
	r.fast = fastpath.Request{
		Context: r.ctx, Namespace: r.namespace, SameVersion: r.origin == fromPatch, Buffer: r.buffer,
	}
	switch r.fields {
	case Warn:
		r.fast.Unknown = fastpath.WarnOfUnknown
	case Ignore:
		r.fast.Unknown = fastpath.DropUnknown
	}
	return r.version.plan()
}

func (r *request) answerFast(out fastpath.Result) ([]byte, *Result, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, nil, err
	}
	if r.version.warning != "" {
		r.warn(r.version.warning)
	}
	r.warn(out.Warnings...)
	r.result.Cost = out.Cost
	return out.Object, r.result, nil
}

// answer returns the result of a request, given what its steps returned.
func (r *request) answer(refusal *Refusal, err error) (*Result, error) {
	if r.meta != nil {
		r.meta.Release()
		r.oldMeta.Release()
	}
	if ended := r.ctx.Err(); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, err
	}
	res := r.result
	if res.Refusal = refusal; !res.Admitted() {
		res.about = r.subject()
	}
	res.Errors.Sort()
	res.Ratcheted.Sort()
	if !res.Admitted() {
		return res, r.checkGoTypes()
	}
	return res, nil
}

func (r *request) answerJSON(refusal *Refusal, err error) ([]byte, *Result, error) {
	res, err := r.answer(refusal, err)
	if err != nil {
		return nil, nil, err
	}
	if !res.Admitted() {
		return nil, res, nil
	}
	out, err := jsonscan.Encode(slices.Grow(r.buffer, len(r.raw)), r.obj.Object)
	if err != nil {
		return nil, nil, err
	}
	return out, res, nil
}

func (r *request) subject() *subject {
	s := &subject{kind: r.version.def.GroupKind()}
	if r.result.Refusal == nil && !r.sentKind.Empty() {
		s.kind = r.sentKind
	}
	if r.obj != nil {
		s.name = r.obj.GetName()
	}
	return s
}

func (r *request) warn(texts ...string) {
	if len(r.result.Warnings) == 0 {
		r.result.Warnings = slices.Clip(texts)
		return
	}
	r.result.Warnings = append(r.result.Warnings, texts...)
}

// enterNamespace puts the object into a namespace. "" means the namespace that the object names.
func (r *request) enterNamespace(namespace string) *Refusal {
	same := false
	r.changeMetadata(func() { same = r.meta.EnterNamespace(r.version.def.namespaced, namespace) })
	if !same {
		return badRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// runMutate runs the caller's mutation. The server sets defaults afterwards.
func (r *request) runMutate() error {
	if r.mutate == nil {
		return nil
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.meta.Write(r.obj.Object)
	if err := r.mutate(r.ctx, r.obj); err != nil {
		return fmt.Errorf("crdkit: mutating: %w", err)
	}
	if r.obj.Object == nil {
		return errors.New("crdkit: mutating: the object is gone")
	}
	if err := r.readyForObject(); err != nil {
		return err
	}
	r.setDefaults()
	r.meta.ReadMap(r.obj.Object)
	r.dropMutatedOwners()
	return nil
}
