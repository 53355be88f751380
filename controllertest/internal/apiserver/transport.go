package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// An answer is the result of a request: a status code, and a value to encode as JSON.
type answer struct {
	code  int
	value any
}

// RoundTrip serves a request. It implements [http.RoundTripper]. It returns an error if the request
// ended or the server is closed. All other failures are responses.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	select {
	case <-s.closed:
		return nil, errors.New("controllertest: the environment is closed")
	default:
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	r, ok, err := s.newRequest(req)
	switch {
	case err != nil:
		return respond(req, nil, failure(err)), nil
	case !ok:
		return s.discover(req), nil
	case isTrue(r.query.Get("watch")) && req.Method == http.MethodGet && r.subresource == "":
		return s.watch(r)
	}
	a, err := s.serve(r)
	if err != nil {
		a = failure(err)
	}
	if errors.Is(err, req.Context().Err()) && err != nil {
		return nil, err
	}
	return respond(req, r, a), nil
}

// serve performs a request other than a watch.
func (s *Server) serve(r *request) (answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	method := r.http.Method
	switch {
	case method == http.MethodPost && r.name == "":
		return s.create(r)
	case method == http.MethodDelete && r.name == "":
		return s.deleteCollection(r)
	case method == http.MethodGet && r.name == "":
		return s.list(r)
	case r.name == "" || method == http.MethodDelete && r.subresource != "":
	case method == http.MethodDelete:
		return s.delete(r)
	case method == http.MethodGet:
		return s.get(r)
	case method == http.MethodPut:
		return s.update(r)
	case method == http.MethodPatch:
		return s.patch(r)
	}
	return answer{}, apierrors.NewMethodNotSupported(r.resource.groupResource(), strings.ToLower(method))
}

// failure returns the answer for an error: the Status of the error, or an internal error.
func failure(err error) answer {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	s := status.Status()
	s.Kind, s.APIVersion = "Status", "v1"
	return answer{int(s.Code), s}
}

// respond encodes an answer. r may be nil.
func respond(req *http.Request, r *request, a answer) *http.Response {
	if r != nil {
		a.value = r.present(a.value)
	}
	body, err := json.Marshal(a.value)
	if err != nil {
		a = failure(fmt.Errorf("encoding the response: %w", err))
		body, _ = json.Marshal(a.value) // encoding a Status cannot fail
	}
	resp := newResponse(req, a.code, io.NopCloser(bytes.NewReader(body)))
	resp.ContentLength = int64(len(body))
	if r != nil {
		r.sendWarnings(resp)
	}
	return resp
}

func newResponse(req *http.Request, code int, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: fmt.Sprintf("%d %s", code, http.StatusText(code)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body, ContentLength: -1, Request: req,
	}
}

func (r *request) sendWarnings(resp *http.Response) {
	for _, text := range r.warnings {
		if header, err := utilnet.NewWarningHeader(299, "-", text); err == nil {
			resp.Header.Add("Warning", header)
		}
	}
}

// present returns a value in the form that the client asks for: only the metadata, or all of it.
func (r *request) present(value any) any {
	if !strings.Contains(r.http.Header.Get("Accept"), "as=PartialObjectMetadata") {
		return value
	}
	switch v := value.(type) {
	case *unstructured.Unstructured:
		return partial(v)
	case *unstructured.UnstructuredList:
		items := make([]any, len(v.Items))
		for i := range v.Items {
			items[i] = partial(&v.Items[i])
		}
		return map[string]any{
			"kind": "PartialObjectMetadataList", "apiVersion": metaVersion,
			"metadata": v.Object["metadata"], "items": items,
		}
	default:
		return value
	}
}

func partial(obj *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"kind": "PartialObjectMetadata", "apiVersion": metaVersion, "metadata": obj.Object["metadata"],
	}
}

// metaVersion is the apiVersion of partial objects.
const metaVersion = metav1.GroupName + "/v1"

// isTrue reports whether a query parameter is set as client-go sets it.
func isTrue(value string) bool { return value == "true" || value == "1" }
