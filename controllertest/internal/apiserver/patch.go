package apiserver

import (
	"context"
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/patch"
)

// patch serves PATCH of an object and of its subresources.
func (s *Server) patch(r *request) (answer, error) {
	if types.PatchType(r.mediaType()) == types.ApplyYAMLPatchType {
		return s.apply(r)
	}
	stored, err := s.lookup(r)
	if err != nil {
		return answer{}, err
	}
	if r.subresource == "scale" {
		return s.patchScale(r, stored)
	}
	before, err := r.encoded(stored)
	if err != nil {
		return answer{}, err
	}
	patcher := patch.New(r.version)
	do := patcher.PatchJSON
	if r.subresource == "status" {
		do = patcher.PatchStatusJSON
	}
	out, err := r.patched(do, before)
	if err != nil {
		return answer{}, err
	}
	obj, err := decode(out)
	if err != nil {
		return answer{}, err
	}
	return s.finish(r, stored, obj)
}

// A patching is a method of patch.Patcher.
type patching func(ctx context.Context, live []byte, kind types.PatchType, body []byte, opts ...crdkit.JSONOption) ([]byte, *patch.Result, error)

// patched returns the result of a patch, or its refusal.
func (r *request) patched(do patching, live []byte) ([]byte, error) {
	out, result, err := do(r.context(), live, types.PatchType(r.mediaType()), r.body, r.options()...)
	if err != nil {
		return nil, err
	}
	return out, r.judge(result.Result, nil)
}

// patchScale serves PATCH of the scale subresource, because package patch only patches objects.
func (s *Server) patchScale(r *request, stored *unstructured.Unstructured) (answer, error) {
	current, err := r.readScale(stored)
	if err != nil {
		return answer{}, err
	}
	before, err := json.Marshal(current.value)
	if err != nil {
		return answer{}, err
	}
	var out []byte
	switch kind := types.PatchType(r.mediaType()); kind {
	case types.MergePatchType:
		out, err = jsonpatch.MergePatch(before, r.body)
	case types.JSONPatchType:
		var operations jsonpatch.Patch
		if operations, err = jsonpatch.DecodePatch(r.body); err == nil {
			out, err = operations.Apply(before)
		}
	default:
		err = fmt.Errorf("a scale subresource takes %s and %s, not %s", types.MergePatchType, types.JSONPatchType, kind)
	}
	if err != nil {
		return answer{}, apierrors.NewBadRequest(err.Error())
	}
	return s.setScale(r, stored, out)
}
