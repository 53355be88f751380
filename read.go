package crdkit

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdkit/crdkit/internal/text/jsonscan"
	"github.com/crdkit/crdkit/internal/value/jsonval"
)

// Read returns a stored object as the server serves it at version v. The object may be stored
// at any version of the definition. Read decodes it with the schema of that version, drops
// malformed metadata and sets defaults. It then converts the object to v and prunes it with
// the schema of v. It sets no defaults of v.
//
// Read does not change stored, and the returned object shares no memory with it. A read is never
// refused: the [Result] has the warnings and, with [ReportChanges], the changes. An error says why
// the server could not serve the object.
//
// See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting.
func (v *Version) Read(ctx context.Context, stored *unstructured.Unstructured, opts ...ReadOption) (*unstructured.Unstructured, *Result, error) {
	r, err := newReadRequest(ctx, v, stored, opts)
	if err != nil {
		return nil, nil, err
	}
	gvk := r.obj.GroupVersionKind()
	if gvk.Group != v.def.group || v.def.byName[gvk.Version] == nil {
		return nil, nil, fmt.Errorf("request to convert CR from an invalid group/version: %s", gvk.GroupVersion())
	}
	if gvk.Kind != v.def.kind {
		return nil, nil, fmt.Errorf("crdkit: the stored object is a %s, want a %s", gvk.Kind, v.def.kind)
	}
	if refusal := r.coerce(coercion{stored: true}); refusal != nil {
		return nil, nil, errors.New(refusal.Message)
	}
	r.setDefaults()
	if err := r.convert(); err != nil {
		return nil, nil, err
	}
	return r.obj, r.result, nil
}

// ReadJSON is [Version.Read] for an object that is stored as JSON. It returns JSON as the server
// encodes it, with sorted keys. ReadJSON does not change or keep stored.
func (v *Version) ReadJSON(ctx context.Context, stored []byte, opts ...ReadOption) ([]byte, *Result, error) {
	obj, err := decodeObject(stored, "stored")
	if err != nil {
		return nil, nil, err
	}
	obj, res, err := v.Read(ctx, obj, opts...)
	if err != nil {
		return nil, nil, err
	}
	out, err := jsonscan.Encode(nil, obj.Object)
	return out, res, err
}

// Store returns obj as the server writes it to storage. If v is not the storage version, Store
// converts obj to the storage version and prunes the result with that version's schema. It sets no
// defaults. obj must have been admitted at v; Store returns an error if it has another kind or
// version. obj is not changed, and the result shares no memory with it.
func (v *Version) Store(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	r, err := newReadRequest(ctx, v.def.storage, obj, nil)
	if err != nil {
		return nil, err
	}
	if got := obj.GroupVersionKind(); got != v.GroupVersionKind() {
		return nil, fmt.Errorf("crdkit: the object is a %s, want a %s", got, v.GroupVersionKind())
	}
	if r.version == v {
		return r.obj, nil
	}
	if err := r.convert(); err != nil {
		return nil, err
	}
	return r.obj, nil
}

// StoreJSON is [Version.Store] for JSON, see [Version.ReadJSON].
func (v *Version) StoreJSON(ctx context.Context, raw []byte) ([]byte, error) {
	obj, err := decodeObject(raw, "admitted")
	if err != nil {
		return nil, err
	}
	if obj, err = v.Store(ctx, obj); err != nil {
		return nil, err
	}
	return jsonscan.Encode(nil, obj.Object)
}

func newReadRequest(ctx context.Context, v *Version, obj *unstructured.Unstructured, opts []ReadOption) (*request, error) {
	r, err := newRequest(ctx, v, opts)
	if err != nil {
		return nil, err
	}
	if obj == nil || obj.Object == nil {
		return nil, errNil
	}
	copied, err := jsonval.CloneWithin(obj.Object)
	if err != nil {
		return nil, fmt.Errorf("crdkit: the object: %w", err)
	}
	object, _ := copied.(map[string]any)
	r.obj = &unstructured.Unstructured{Object: object}
	return r, r.begin()
}

// convert converts r.obj to the version of the request as the codec of the store does. It also
// coerces metadata if r.obj has that version already.
func (r *request) convert() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	out, err := r.version.def.convertOne(r.ctx, r.obj, r.version)
	if err != nil {
		return err
	}
	r.obj = out
	if refusal := r.coerce(coercion{}); refusal != nil {
		return errors.New(refusal.Message)
	}
	return r.ctx.Err()
}
