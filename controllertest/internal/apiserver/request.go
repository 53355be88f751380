package apiserver

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdkit/crdkit"
)

// A request is one HTTP request for a resource.
type request struct {
	http     *http.Request
	resource *resource
	version  *crdkit.Version
	served   *version

	namespace, name, subresource string

	query    url.Values
	body     []byte
	warnings []string
}

// newRequest returns the request for a resource of the server. It returns false if no definition
// serves its path.
func (s *Server) newRequest(req *http.Request) (*request, bool, error) {
	group, version, rest, ok := cutPath(req.URL.Path)
	if !ok {
		return nil, false, nil
	}
	r := &request{http: req, query: req.URL.Query()}
	inNamespace := len(rest) > 2 && rest[0] == "namespaces"
	if inNamespace {
		r.namespace, rest = rest[1], rest[2:]
	}
	if len(rest) == 0 || len(rest) > 3 {
		return nil, false, nil
	}
	r.resource = s.resources[runtimeschema.GroupResource{Group: group, Resource: rest[0]}]
	if r.resource == nil {
		return nil, false, nil
	}
	rest = append(rest, "", "")
	r.name, r.subresource = rest[1], rest[2]
	v, err := s.catalog.Version(r.resource.groupKind().WithVersion(version))
	if err != nil || !r.valid(v, inNamespace) {
		return nil, false, ignoreMissing(r.resource, version, err)
	}
	r.version, r.served = v, r.resource.versions[version]
	if req.Body != nil {
		r.body, err = io.ReadAll(io.LimitReader(req.Body, crdkit.MaxRequestBytes+1))
	}
	return r, true, err
}

// ignoreMissing returns nil if the resource does not serve the version. Otherwise it returns err,
// which says that the version does not compile.
func ignoreMissing(res *resource, version string, err error) error {
	if v, ok := res.def.Version(version); ok && v.Served() {
		return err
	}
	return nil
}

// valid reports whether the resource serves the path of the request.
func (r *request) valid(v *crdkit.Version, inNamespace bool) bool {
	namespaced := r.resource.def.Namespaced()
	if inNamespace != namespaced && (inNamespace || r.name != "") {
		return false
	}
	switch r.subresource {
	case "":
		return true
	case "status":
		return v.HasStatus()
	case "scale":
		return r.resource.versions[v.Name()].scaler != nil
	default:
		return false
	}
}

// cutPath returns the parts of /apis/GROUP/VERSION/REST.
func cutPath(path string) (group, version string, rest []string, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 4 || parts[0] != "apis" || slices.Contains(parts, "") {
		return "", "", nil, false
	}
	return parts[1], parts[2], parts[3:], true
}

func (r *request) context() context.Context { return r.http.Context() }

func (r *request) key() types.NamespacedName {
	return types.NamespacedName{Namespace: r.namespace, Name: r.name}
}

func (r *request) dryRun() bool { return slices.Contains(r.query["dryRun"], metav1.DryRunAll) }

// warn adds warnings, each text once.
func (r *request) warn(texts ...string) {
	for _, text := range texts {
		if !slices.Contains(r.warnings, text) {
			r.warnings = append(r.warnings, text)
		}
	}
}

func (r *request) mediaType() string {
	media, _, err := mime.ParseMediaType(r.http.Header.Get("Content-Type"))
	if err != nil {
		return r.http.Header.Get("Content-Type")
	}
	return media
}

func (r *request) options() []crdkit.JSONOption {
	opts := []crdkit.JSONOption{crdkit.FieldValidation(r.query.Get("fieldValidation"))}
	if r.namespace != "" {
		opts = append(opts, crdkit.InNamespace(r.namespace))
	}
	if r.mediaType() == "application/yaml" {
		opts = append(opts, crdkit.YAML())
	}
	return opts
}

// judge adds the warnings of a result to the response, and returns its refusal.
func (r *request) judge(result *crdkit.Result, err error) error {
	if err != nil {
		return err
	}
	r.warn(result.Warnings...)
	return result.Err()
}

func decode(raw []byte) (*unstructured.Unstructured, error) {
	content := map[string]any{}
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: content}, nil
}

func encode(obj *unstructured.Unstructured) ([]byte, error) { return json.Marshal(obj.Object) }

// badRequest returns err as a bad request, unless it already has a status.
func badRequest(err error) error {
	if _, ok := err.(apierrors.APIStatus); ok || err == nil {
		return err
	}
	return apierrors.NewBadRequest(err.Error())
}

func resourceOf(v *crdkit.Version, s *Server) runtimeschema.GroupResource {
	for name, res := range s.resources {
		if res.groupKind() == v.GroupVersionKind().GroupKind() {
			return name
		}
	}
	return runtimeschema.GroupResource{}
}
