package apiserver

import (
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit"
	"github.com/crdkit/crdkit/apply"
)

// apply serves a server-side apply. If there is no object, it creates one.
func (s *Server) apply(r *request) (answer, error) {
	if r.subresource == "scale" {
		return answer{}, apierrors.NewMethodNotSupported(r.resource.groupResource(), "apply of a scale")
	}
	force, err := r.applyOptions()
	if err != nil {
		return answer{}, err
	}
	stored, err := s.lookup(r)
	if err != nil && (r.subresource != "" || !apierrors.IsNotFound(err)) {
		return answer{}, err
	}
	result, err := s.applied(r, stored, force)
	if err != nil {
		return answer{}, err
	}
	if err := r.judge(result.Result, nil); err != nil {
		return answer{}, err
	}
	if !result.Created {
		return s.finish(r, stored, result.Object)
	}
	s.identify(result.Object)
	created, err := s.write(r, result.Object, nil)
	return answer{http.StatusCreated, created}, err
}

// applyOptions reports whether the apply is forced. It returns an error for wrong options.
func (r *request) applyOptions() (force bool, err error) {
	options := &metav1.PatchOptions{}
	if err := metav1.Convert_url_Values_To_v1_PatchOptions(&r.query, options, nil); err != nil {
		return false, apierrors.NewBadRequest(err.Error())
	}
	if errs := metavalidation.ValidatePatchOptions(options, types.ApplyPatchType); len(errs) > 0 {
		return false, apierrors.NewInvalid(runtimeschema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "", errs)
	}
	return options.Force != nil && *options.Force, nil
}

// applied returns the result of an apply to a stored object, which may be nil.
func (s *Server) applied(r *request, stored *unstructured.Unstructured, force bool) (*apply.Result, error) {
	applier, err := apply.New(r.version, r.resource.crd, apply.Clock(s.now), apply.Share(&s.schemas))
	if err != nil {
		return nil, err
	}
	var live *unstructured.Unstructured
	if stored != nil {
		if live, _, err = r.version.Read(r.context(), stored); err != nil {
			return nil, err
		}
	}
	manager, opts := r.query.Get("fieldManager"), r.applyRequestOptions()
	config, err := decodeYAML(r.body)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	if name := config.GetName(); name != r.name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, r.name))
	}
	if r.subresource == "status" {
		return applier.Apply(r.context(), apply.Request{Live: live, Config: config, Manager: manager, Force: force, Subresource: "status"}, opts...)
	}
	return applier.Apply(r.context(), apply.Request{Live: live, Body: r.body, Manager: manager, Force: force}, opts...)
}

// decodeYAML decodes an object to the types of decoded JSON.
func decodeYAML(text []byte) (*unstructured.Unstructured, error) {
	raw, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	return decode(raw)
}

func (r *request) applyRequestOptions() []crdkit.RequestOption {
	opts := []crdkit.RequestOption{crdkit.FieldValidation(r.query.Get("fieldValidation"))}
	if r.namespace != "" {
		opts = append(opts, crdkit.InNamespace(r.namespace))
	}
	return opts
}
