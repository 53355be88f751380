package apiserver

import (
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// get serves GET of an object and of its subresources.
func (s *Server) get(r *request) (answer, error) {
	stored, err := s.lookup(r)
	if err != nil {
		return answer{}, err
	}
	if r.subresource == "scale" {
		return r.readScale(stored)
	}
	obj, err := r.read(stored)
	return answer{http.StatusOK, obj}, err
}

// list serves GET of the selected objects.
func (s *Server) list(r *request) (answer, error) {
	r.warn(versionWarning(r)...)
	selected, err := r.selected()
	if err != nil {
		return answer{}, err
	}
	list, err := r.newList(s.revision, selected)
	if err != nil {
		return answer{}, err
	}
	return answer{http.StatusOK, list}, nil
}

// newList returns the list of stored objects at the version of the request, with the
// revision of the store.
func (r *request) newList(revision uint64, selected []*unstructured.Unstructured) (*unstructured.UnstructuredList, error) {
	gvk := r.version.GroupVersionKind()
	kind := r.resource.crd.Spec.Names.ListKind
	if kind == "" {
		kind = gvk.Kind + "List"
	}
	list := &unstructured.UnstructuredList{
		Object: map[string]any{
			"apiVersion": gvk.GroupVersion().String(), "kind": kind,
			"metadata": map[string]any{"resourceVersion": strconv.FormatUint(revision, 10)},
		},
		Items: []unstructured.Unstructured{},
	}
	for _, stored := range selected {
		obj, err := r.read(stored)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, *obj)
	}
	return list, nil
}

// A selector selects objects at the version of a request.
type selector struct {
	request *request
	byLabel labels.Selector
	byField fields.Selector
}

func (r *request) selector() (*selector, error) {
	byLabel, err := labels.Parse(r.query.Get("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	byField, err := r.served.fields.Parse(r.query.Get("fieldSelector"))
	if err != nil {
		return nil, badRequest(err)
	}
	return &selector{r, byLabel, byField}, nil
}

// matches reports whether a stored object is selected. It returns false for nil.
func (s *selector) matches(stored *unstructured.Unstructured) (bool, error) {
	r := s.request
	switch {
	case stored == nil,
		r.namespace != "" && stored.GetNamespace() != r.namespace,
		r.name != "" && stored.GetName() != r.name:
		return false, nil
	case s.byLabel.Empty() && s.byField.Empty():
		return true, nil
	}
	obj, _, err := r.version.Read(r.context(), stored)
	if err != nil {
		return false, err
	}
	return r.served.fields.Matches(obj, s.byLabel, s.byField)
}

// selected returns the stored objects that a request selects.
func (r *request) selected() ([]*unstructured.Unstructured, error) {
	selector, err := r.selector()
	if err != nil {
		return nil, err
	}
	var selected []*unstructured.Unstructured
	for _, stored := range r.sorted() {
		ok, err := selector.matches(stored)
		if err != nil {
			return nil, err
		}
		if ok {
			selected = append(selected, stored)
		}
	}
	return selected, nil
}
