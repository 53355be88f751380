package apiserver

import (
	"encoding/json"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// create serves POST.
func (s *Server) create(r *request) (answer, error) {
	out, result, err := r.version.CreateJSON(r.context(), r.body, r.options()...)
	if err := r.judge(result, err); err != nil {
		return answer{}, err
	}
	obj, err := decode(out)
	if err != nil {
		return answer{}, err
	}
	if err := s.nameUnique(r, obj); err != nil {
		return answer{}, err
	}
	s.identify(obj)
	created, err := s.write(r, obj, nil)
	return answer{http.StatusCreated, created}, err
}

// The server generates a name from a prefix and random characters. If the name is in use, it
// generates another one.
const (
	randomLength = 5
	prefixLength = 63 - randomLength
	nameAttempts = 8
)

// nameUnique generates the name of an object that has none. If an object has a name that is in use,
// it returns an error.
func (s *Server) nameUnique(r *request, obj *unstructured.Unstructured) error {
	prefix := obj.GetGenerateName()
	prefix = prefix[:min(len(prefix), prefixLength)]
	generate := obj.GetName() == ""
	for range nameAttempts {
		if generate {
			obj.SetName(prefix + utilrand.String(randomLength))
		}
		if _, used := r.resource.objects[types.NamespacedName{Namespace: obj.GetNamespace(), Name: obj.GetName()}]; !used {
			return nil
		}
		if !generate {
			return apierrors.NewAlreadyExists(r.resource.groupResource(), obj.GetName())
		}
	}
	return apierrors.NewGenerateNameConflict(r.resource.groupResource(), obj.GetName(), 1)
}

// identify sets the metadata that only a server sets in a new object.
func (s *Server) identify(obj *unstructured.Unstructured) {
	if obj.GetUID() == "" {
		obj.SetUID(uuid.NewUUID())
	}
	if created := obj.GetCreationTimestamp(); created.IsZero() {
		obj.SetCreationTimestamp(s.time())
	}
}

func (s *Server) time() metav1.Time { return metav1.NewTime(s.now()).Rfc3339Copy() }

// update serves PUT of an object and of its subresources.
func (s *Server) update(r *request) (answer, error) {
	stored, err := s.lookup(r)
	if err != nil {
		return answer{}, err
	}
	if r.subresource == "scale" {
		return s.updateScale(r, stored)
	}
	return s.replace(r, stored, r.body)
}

// replace replaces a stored object by raw, an object in JSON or YAML.
func (s *Server) replace(r *request, stored *unstructured.Unstructured, raw []byte) (answer, error) {
	before, err := r.encoded(stored)
	if err != nil {
		return answer{}, err
	}
	do := r.version.UpdateJSON
	if r.subresource == "status" {
		do = r.version.UpdateStatusJSON
	}
	out, result, err := do(r.context(), raw, before, r.options()...)
	if err == nil && (result.Refusal == nil || result.Refusal.Code == http.StatusConflict) && resourceVersion(raw) == "" {
		err = r.unconditional()
	}
	if err := r.judge(result, err); err != nil {
		return answer{}, err
	}
	obj, err := decode(out)
	if err != nil {
		return answer{}, err
	}
	return s.finish(r, stored, obj)
}

// encoded returns the JSON of a stored object at the version of the request.
func (r *request) encoded(stored *unstructured.Unstructured) ([]byte, error) {
	old, _, err := r.version.Read(r.context(), stored)
	if err != nil {
		return nil, err
	}
	return encode(old)
}

// finish stores the new state of an object. If the object was deleted and has no finalizers left,
// finish removes it.
func (s *Server) finish(r *request, stored, obj *unstructured.Unstructured) (answer, error) {
	if len(obj.GetFinalizers()) > 0 || stored.GetDeletionTimestamp() == nil {
		updated, err := s.write(r, obj, stored)
		return answer{http.StatusOK, updated}, err
	}
	if !r.dryRun() {
		s.record(r.resource, stored, nil)
	}
	return answer{http.StatusOK, obj}, nil
}

// unconditional returns the error of an update without a resource version.
func (r *request) unconditional() error {
	kind := runtimeschema.GroupKind{Group: r.resource.crd.Spec.Group, Kind: r.resource.crd.Spec.Names.Plural}
	return apierrors.NewInvalid(kind, r.name, field.ErrorList{
		field.Invalid(field.NewPath("metadata").Child("resourceVersion"), uint64(0), "must be specified for an update"),
	})
}

// resourceVersion returns the resource version of an object in JSON or YAML. It returns "" if there
// is none, or if the text cannot be read.
func resourceVersion(raw []byte) string {
	var obj struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if json.Unmarshal(raw, &obj) != nil && yaml.Unmarshal(raw, &obj) != nil {
		return ""
	}
	return obj.Metadata.ResourceVersion
}
