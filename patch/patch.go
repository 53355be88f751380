package patch

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/internal/patching"
	"github.com/crdkit/crdkit/internal/requestopt"
	"github.com/crdkit/crdkit/internal/text/jsonscan"
)

// MaxOperations is the number of operations that a JSON patch may have.
const MaxOperations = patching.MaxOperations

// MaxCopyBytes is the number of bytes that all copy operations of a JSON patch together may
// add.
const MaxCopyBytes = patching.MaxCopyBytes

// A Patcher makes PATCH requests at one version. It never changes and is safe for concurrent
// use.
type Patcher struct{ version *crdkit.Version }

// New returns a Patcher for the objects of v, which must not be nil.
func New(v *crdkit.Version) *Patcher { return &Patcher{v} }

// A Result is the verdict on a PATCH request. It belongs to the caller.
type Result struct {
	*crdkit.Result
	// Object is the object to store. It is nil if the request is refused, and for
	// PatchJSON and PatchStatusJSON.
	Object *unstructured.Unstructured
	// Unchanged is true if the request is admitted and changes nothing. The server then
	// does not write the object and keeps its resourceVersion.
	Unchanged bool

	patched []byte // nil if the patch does not apply
}

// Patched returns the live object with the patch applied, before pruning and defaulting. It
// does so even if the request is refused. It returns nil if the patch cannot be applied, or
// if its result is not an object. Each call returns a new object.
func (r *Result) Patched() *unstructured.Unstructured {
	if r.patched == nil {
		return nil
	}
	object, err := decode(r.patched)
	if err != nil {
		return nil // the result is not an object
	}
	return &unstructured.Unstructured{Object: object}
}

// Patch patches live. [crdkit.Result.Err] returns the verdict. live is an object as
// [crdkit.Version.Read] returns it at the version of p. It is not changed and shares no
// memory with the result.
//
// The error says why there is no verdict: ctx ended, an option has an unknown value, a
// [crdkit.Mutate] step failed, or live is nil or not an object of the version. A nil ctx
// never ends.
func (p *Patcher) Patch(ctx context.Context, live *unstructured.Unstructured, patchType types.PatchType, body []byte, opts ...crdkit.RequestOption) (*Result, error) {
	return p.onObject(ctx, p.version.UpdateJSON, live, patchType, body, opts)
}

// PatchStatus is [Patcher.Patch] for the status subresource. It returns an error if the
// version has none.
func (p *Patcher) PatchStatus(ctx context.Context, live *unstructured.Unstructured, patchType types.PatchType, body []byte, opts ...crdkit.RequestOption) (*Result, error) {
	return p.onObject(ctx, p.version.UpdateStatusJSON, live, patchType, body, opts)
}

// PatchJSON is [Patcher.Patch] for a live object as JSON. It returns the object to
// store as the server encodes it, or nil if the server refuses the request.
// [crdkit.AppendTo] says where the object is written. live is not changed and not kept.
func (p *Patcher) PatchJSON(ctx context.Context, live []byte, patchType types.PatchType, body []byte, opts ...crdkit.JSONOption) ([]byte, *Result, error) {
	return p.onJSON(ctx, p.version.UpdateJSON, live, patchType, body, opts)
}

// PatchStatusJSON is [Patcher.PatchJSON] for the status subresource. It returns an error if
// the version has none.
func (p *Patcher) PatchStatusJSON(ctx context.Context, live []byte, patchType types.PatchType, body []byte, opts ...crdkit.JSONOption) ([]byte, *Result, error) {
	return p.onJSON(ctx, p.version.UpdateStatusJSON, live, patchType, body, opts)
}

// An update is a method of [crdkit.Version] that replaces old with the object in raw.
type update func(ctx context.Context, raw, old []byte, opts ...crdkit.JSONOption) ([]byte, *crdkit.Result, error)

func (p *Patcher) onObject(ctx context.Context, update update, live *unstructured.Unstructured, patchType types.PatchType, body []byte, opts []crdkit.RequestOption) (*Result, error) {
	if live == nil || live.Object == nil {
		return nil, errors.New("patch: the live object is nil")
	}
	encoded, err := jsonscan.Encode(nil, live.Object)
	if err != nil {
		return nil, err
	}
	out, res, err := p.apply(ctx, update, encoded, patchType, body, jsonOptions(opts))
	if err != nil || out == nil {
		return res, err
	}
	object, err := decode(out)
	if err != nil {
		return nil, err
	}
	res.Object = &unstructured.Unstructured{Object: object}
	return res, nil
}

func jsonOptions(opts []crdkit.RequestOption) []crdkit.JSONOption {
	out := make([]crdkit.JSONOption, 0, len(opts)+1)
	for _, opt := range opts {
		if opt != nil {
			out = append(out, opt)
		}
	}
	return out
}

func (p *Patcher) onJSON(ctx context.Context, update update, live []byte, patchType types.PatchType, body []byte, opts []crdkit.JSONOption) ([]byte, *Result, error) {
	object, err := decode(live)
	if err != nil {
		return nil, nil, err
	}
	canonical, err := jsonscan.Encode(nil, object)
	if err != nil {
		return nil, nil, err
	}
	return p.apply(ctx, update, canonical, patchType, body, opts)
}

func (p *Patcher) apply(ctx context.Context, update update, live []byte, patchType types.PatchType, body []byte, opts []crdkit.JSONOption) ([]byte, *Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	fields, err := requestopt.FieldValidation[crdkit.FieldValidation](opts)
	if err != nil {
		return nil, nil, err
	}
	patched, complaints, r, err := patching.Document(ctx, live, patchType, body, fields)
	if err != nil {
		return nil, nil, err
	}
	if r != nil {
		res := &crdkit.Result{Refusal: r}
		if text := p.version.Warning(); text != "" {
			res.Warnings = []string{text}
		}
		return nil, &Result{Result: res}, nil
	}
	out, res, err := update(ctx, patched, live, append(opts[:len(opts):len(opts)], requestopt.Patched{Complaints: complaints})...)
	if err != nil {
		return nil, nil, err
	}
	return out, &Result{Result: res, Unchanged: out != nil && bytes.HasSuffix(out, live), patched: patched}, nil
}

func decode(text []byte) (map[string]any, error) {
	if v, ok := jsonscan.Decode(string(text)); ok {
		if object, ok := v.(map[string]any); ok {
			return object, nil
		}
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("patch: reading the live object: %w", err)
	}
	return u.Object, nil
}
