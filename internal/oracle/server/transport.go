package server

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// RoundTrip makes a request of a client of Kubernetes, as an [http.RoundTripper]. The path
// is that of an object, of one of its subresources, or of all objects for a POST.
func (s *Server) RoundTrip(req *http.Request) (*http.Response, error) {
	r := Request{Method: req.Method, Type: types.PatchType(req.Header.Get("Content-Type")), Agent: req.Header.Get("User-Agent")}
	query := req.URL.Query()
	r.Fields, r.Manager, r.Force = query.Get("fieldValidation"), query.Get("fieldManager"), query.Get("force") == "true"
	// The path is /apis/GROUP/VERSION[/namespaces/NAMESPACE]/PLURAL[/NAME[/SUBRESOURCE]].
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	r.Version, parts = parts[2], parts[3:]
	if parts[0] == "namespaces" {
		r.Namespace, parts = parts[1], parts[2:]
	}
	for i, to := range []*string{&r.Name, &r.Subresource} {
		if i+1 < len(parts) {
			*to = parts[i+1]
		}
	}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		r.Body = body
	}
	answer := s.Do(r)
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{
		StatusCode: answer.Code, Status: http.StatusText(answer.Code), Header: header, Request: req,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(answer.Body)), Body: io.NopCloser(bytes.NewReader(answer.Body)),
	}, nil
}
