package apiserver

import (
	"encoding/json"
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// patch serves PATCH of an object and of its subresources.
func (s *Server) patch(r *request) (answer, error) {
	kind := types.PatchType(r.mediaType())
	if kind != types.JSONPatchType && kind != types.MergePatchType {
		return answer{}, unsupported(kind)
	}
	stored, err := s.lookup(r)
	if err != nil {
		return answer{}, err
	}
	current, err := r.current(stored)
	if err != nil {
		return answer{}, err
	}
	patched, err := patched(kind, current, r.body)
	if err != nil {
		return answer{}, err
	}
	if r.subresource == "scale" {
		return s.setScale(r, stored, patched)
	}
	return s.replace(r, stored, patched)
}

// current returns what a patch changes, in JSON: the object at the version of the
// request, or its Scale.
func (r *request) current(stored *unstructured.Unstructured) ([]byte, error) {
	if r.subresource == "scale" {
		scale, err := r.readScale(stored)
		if err != nil {
			return nil, err
		}
		return json.Marshal(scale.value)
	}
	obj, _, err := r.version.Read(r.context(), stored)
	if err != nil {
		return nil, err
	}
	return encode(obj)
}

// patched returns the result of a patch.
func patched(kind types.PatchType, current, patch []byte) ([]byte, error) {
	if kind == types.MergePatchType {
		out, err := jsonpatch.MergePatch(current, patch)
		return out, badRequest(err)
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	out, err := operations.Apply(current)
	if err != nil {
		return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", runtimeschema.GroupResource{}, "", err.Error(), 0, false)
	}
	return out, nil
}

// unsupported returns the answer to a patch of another kind.
func unsupported(kind types.PatchType) error {
	err := apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", runtimeschema.GroupResource{}, "", "", 0, false)
	err.ErrStatus.Message = fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %s, %s (got %s)",
		types.JSONPatchType, types.MergePatchType, kind)
	return err
}
