package apiserver

import (
	"encoding/json"
	"net/http"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// readScale serves GET of the scale subresource.
func (r *request) readScale(stored *unstructured.Unstructured) (answer, error) {
	obj, err := r.read(stored)
	if err != nil {
		return answer{}, err
	}
	scale, err := r.served.scaler.Read(obj)
	return answer{http.StatusOK, scale}, err
}

// updateScale serves PUT of the scale subresource.
func (s *Server) updateScale(r *request, stored *unstructured.Unstructured) (answer, error) {
	return s.setScale(r, stored, r.body)
}

// setScale replaces the Scale of an object.
func (s *Server) setScale(r *request, stored *unstructured.Unstructured, raw []byte) (answer, error) {
	var wanted autoscalingv1.Scale
	if err := json.Unmarshal(raw, &wanted); err != nil {
		return answer{}, apierrors.NewBadRequest(err.Error())
	}
	old, _, err := r.version.Read(r.context(), stored)
	if err != nil {
		return answer{}, err
	}
	obj := old.DeepCopy()
	err = r.served.scaler.Update(obj, func(current *autoscalingv1.Scale) error {
		*current = wanted
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	result, err := r.version.Update(r.context(), obj, old)
	if err := r.judge(result, err); err != nil {
		return answer{}, err
	}
	a, err := s.finish(r, stored, obj)
	if err != nil {
		return answer{}, err
	}
	scale, err := r.served.scaler.Read(a.value.(*unstructured.Unstructured))
	return answer{http.StatusOK, scale}, err
}
