package crdkit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// CreateJSON is like [Version.Create] for the body of a request: JSON, or YAML
// with [YAML]. It returns the object to store as JSON with sorted keys, as the
// server encodes it and without a line break at the end, or nil if the object
// is not admitted. raw is not changed and not kept. [Splice] and [AppendTo] say
// otherwise how and where the object is written.
//
// A body that the server cannot read is a [Refusal], not an error.
func (v *Version) CreateJSON(ctx context.Context, raw []byte, opts ...RequestOption) ([]byte, *Result, error) {
	ctx = orBackground(ctx)
	r := v.newRequest(opts)
	if out, res, ok, err := r.createBytes(ctx, raw); ok {
		r.release()
		return out, res, err
	}
	return r.runJSON(ctx, raw, nil, r.create)
}

// UpdateJSON is like [Version.Update] for the body of a request, with old as
// JSON in any case.
func (v *Version) UpdateJSON(ctx context.Context, raw, old []byte, opts ...RequestOption) ([]byte, *Result, error) {
	ctx = orBackground(ctx)
	r := v.newRequest(opts)
	if out, res, ok, err := r.updateBytes(ctx, raw, old); ok {
		r.release()
		return out, res, err
	}
	r.result.Changes = nil
	return r.runJSON(ctx, raw, old, r.update)
}

// UpdateStatusJSON is like [Version.UpdateStatus] for the body of a request,
// with old as JSON in any case.
func (v *Version) UpdateStatusJSON(ctx context.Context, raw, old []byte, opts ...RequestOption) ([]byte, *Result, error) {
	if !v.status {
		return nil, nil, fmt.Errorf("crdkit: %s %s has no status subresource", v.apiVersion(), v.def.kind)
	}
	ctx = orBackground(ctx)
	r := v.newRequest(opts)
	if out, res, ok, err := r.statusBytes(ctx, raw, old); ok {
		r.release()
		return out, res, err
	}
	r.result.Changes = nil
	return r.runJSON(ctx, raw, old, r.updateStatus)
}

func (r *request) runJSON(ctx context.Context, raw, old []byte, verb step) ([]byte, *Result, error) {
	if r.wrong != nil {
		return nil, nil, r.wrong
	}
	r.decoded = true
	obj, strict, refusal := r.decode(raw)
	if refusal != nil {
		r.result.Refusal = refusal
		return nil, r.result, nil
	}
	r.strict = strict
	oldObj, err := decodeOld(old)
	if err != nil {
		return nil, nil, err
	}
	res, err := r.run(ctx, obj, oldObj, verb)
	if err != nil || !res.Admitted() {
		return nil, res, err
	}
	if r.verdict {
		return nil, res, nil
	}
	out, err := json.Marshal(r.obj.Object)
	if err != nil {
		return nil, nil, fmt.Errorf("crdkit: encoding the object: %w", err)
	}
	if r.appends {
		out = append(r.buffer, out...)
	}
	return out, res, nil
}

// ValidJSON reports whether the server would admit raw, the JSON of an object,
// if a client created it: whether [Version.CreateJSON] without options would.
// Unknown fields are no obstacle. It makes no output, and says nothing of what
// is wrong.
func (v *Version) ValidJSON(raw []byte) bool {
	r := v.blankRequest()
	r.result = &r.own
	r.fields, r.splice, r.verdict = Ignore, true, true
	ctx := context.Background()
	_, res, ok, err := r.createBytes(ctx, raw)
	if !ok {
		_, res, err = r.runJSON(ctx, raw, nil, r.create)
	}
	admitted := err == nil && res.Admitted()
	if ok {
		r.release()
	}
	return admitted
}

// decodeOld reads the old object of an update, nil for none.
func decodeOld(raw []byte) (*unstructured.Unstructured, error) {
	if raw == nil {
		return nil, nil
	}
	old := &unstructured.Unstructured{}
	if err := old.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("crdkit: reading the old object: %w", err)
	}
	return old, nil
}

// sortedKeys returns the keys of both maps, each once.
func sortedKeys(a, b map[string]any) []string {
	keys := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(keys)
	return slices.Compact(keys)
}
